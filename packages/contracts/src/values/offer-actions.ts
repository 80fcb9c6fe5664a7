/** What an advertiser can do with an offer, by its status. The portal's buttons and `actions` of the public API. */
import type { OfferStatus } from './primitives.ts';

export const offerActions = ['pay', 'pause', 'resume', 'edit', 'delete'] as const;
export type OfferAction = (typeof offerActions)[number];

/** Exactly what the commands accept at this moment. `pay`: by card, at the offer's payment link. */
export function actionsOf(status: OfferStatus): readonly OfferAction[] {
  switch (status) {
    case 'Awaiting Payment':
      return ['pay', 'edit', 'delete'];
    case 'Active':
    case 'Scheduled':
      return ['pause', 'edit', 'delete'];
    case 'Paused':
      return ['resume', 'edit', 'delete'];
    case 'Ended':
      return ['delete'];
  }
}
