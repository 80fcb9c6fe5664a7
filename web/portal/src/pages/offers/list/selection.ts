/** Offers that were chosen for one command. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import { MAX_OFFERS_AT_ONCE } from '@offer-ads/contracts/values/offers-list';
import { isWithheld } from '../standing.ts';

export type BulkAction = 'pause' | 'resume';
export type Choosable = Pick<
  PortalOffer,
  'offer_id' | 'title' | 'offer_status' | 'status' | 'deleted_datetime'
>;

/** The commands that the state of the offer allows. */
export function bulkActionsOf(offer: Choosable): readonly BulkAction[] {
  if (offer.deleted_datetime !== null || isWithheld(offer)) return [];
  const actions = actionsOf(offer.offer_status);
  return (['pause', 'resume'] as const).filter((action) => actions.includes(action));
}

/** The chosen ones that are listed and that a command fits, at most as many as one request takes. */
export function chosenOf<O extends Choosable>(listed: readonly O[], ids: ReadonlySet<number>): readonly O[] {
  return listed
    .filter((offer) => ids.has(offer.offer_id) && bulkActionsOf(offer).length > 0)
    .slice(0, MAX_OFFERS_AT_ONCE);
}

export function offersFor<O extends Choosable>(chosen: readonly O[], action: BulkAction): readonly O[] {
  return chosen.filter((offer) => bulkActionsOf(offer).includes(action));
}

export type BulkOutcome = {
  readonly done: number;
  readonly failed: readonly { readonly title: string; readonly message: string }[];
};

export function outcomeOf(
  chosen: readonly Choosable[],
  results: readonly { readonly offer_id: number; readonly done: boolean; readonly message: string }[],
): BulkOutcome {
  const titles = new Map(chosen.map(({ offer_id: id, title }) => [id, title]));
  return {
    done: results.filter(({ done }) => done).length,
    failed: results
      .filter(({ done }) => !done)
      .map(({ offer_id: id, message }) => ({ title: titles.get(id) ?? `Offer ${id}`, message })),
  };
}
