/** Offers that were ordered together, one for each place. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';

/** Where a created offer is shown, or the group with its offers. */
export function pageOf({ groupId, offerId }: { readonly groupId: number | null; readonly offerId: number }) {
  return groupId === null ? `offers/${offerId}` : `offers/groups/${groupId}`;
}

/** "3 places" */
export function placesText(count: number): string {
  return `${count} ${count === 1 ? 'place' : 'places'}`;
}

/** Whether all offers of the group that are not deleted are among these: a filter, another order or a page can leave some out. */
export function isWhole(offers: readonly Pick<PortalOffer, 'deleted_datetime' | 'group_offers'>[]): boolean {
  return offers.filter(({ deleted_datetime: at }) => at === null).length === offers[0]?.group_offers;
}

/** Offers of one file may have different ones. */
export function haveOneTitle(offers: readonly Pick<PortalOffer, 'title'>[]): boolean {
  return offers.every(({ title }) => title === offers[0]?.title);
}

type Run<O> = { readonly groupId: number | null; readonly offers: readonly O[] };

/** Neighbours of one group together, in the order of the list. Alone, an offer of a group stands for itself. */
export function runsOf<O extends Pick<PortalOffer, 'group_id'>>(offers: readonly O[]): readonly Run<O>[] {
  const runs: { groupId: number | null; offers: O[] }[] = [];
  for (const offer of offers) {
    const last = runs.at(-1);
    if (last !== undefined && offer.group_id !== null && last.groupId === offer.group_id)
      last.offers.push(offer);
    else runs.push({ groupId: offer.group_id, offers: [offer] });
  }
  for (const run of runs) if (run.offers.length === 1) run.groupId = null;
  return runs;
}
