/** How an offer stands: the colour of its state, what happens next, and what can be done to it. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';

type Standing = Pick<
  PortalOffer,
  'offer_status' | 'status' | 'start_datetime' | 'expiry_datetime' | 'payment_method'
>;

export function badgeOf(status: PortalOffer['offer_status']): 'good' | 'warning' | 'muted' | '' {
  switch (status) {
    case 'Active':
      return 'good';
    case 'Scheduled':
      return '';
    case 'Awaiting Payment':
    case 'Paused':
      return 'warning';
    case 'Ended':
      return 'muted';
  }
}

/** @param momentText how a moment is written */
export function nextText(offer: Standing, now: Date, momentText: (at: string) => string): string {
  const start = momentText(offer.start_datetime);
  const end = momentText(offer.expiry_datetime);
  const startsLater = new Date(offer.start_datetime) > now;
  if (offer.status === 'disabled' && offer.offer_status !== 'Ended')
    return `The platform team has disabled it. Time in which it is not shown is credited when it ends, on ${end}.`;
  switch (offer.offer_status) {
    case 'Awaiting Payment':
      return startsLater
        ? `Once it is paid it is shown from ${start} until ${end}. Unpaid, it ends then.`
        : `It is shown from the moment it is paid until ${end}. Unpaid, it ends then.`;
    case 'Scheduled':
      return `It is paid, and shown from ${start} until ${end}.`;
    case 'Active':
      return `It runs until ${end}.`;
    case 'Paused':
      return `It is not shown. It ends on ${end} all the same; the time in which it was paused is credited then.`;
    case 'Ended':
      return `It ended on ${end}.`;
  }
}

export type Action = 'pause' | 'resume' | 'delete';

export function actionsOf({ offer_status }: Pick<PortalOffer, 'offer_status'>): readonly Action[] {
  switch (offer_status) {
    case 'Active':
    case 'Scheduled':
      return ['pause', 'delete'];
    case 'Paused':
      return ['resume', 'delete'];
    case 'Awaiting Payment':
    case 'Ended':
      return ['delete'];
  }
}
