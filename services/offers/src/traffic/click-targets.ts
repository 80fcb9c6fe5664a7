/** Where clicks lead: to the page of the offer, also while the database is away. */
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { within } from '@offer-ads/platform/process/within';
import { findAddress } from '../offers-store.ts';
import type { FollowedOffers } from '../placements/follow-live-offers.ts';
import { tagLink } from './link-tags-store.ts';

/** The url of the offer, with the tags that its organisation wants. Null: members may not be led there any more. */
export type ClickTargets = { readonly find: (offerId: number) => Promise<string | null> };

/** As soon as an offer is gone from placements, it is gone here. */
const FRESH_MS = 1_000;
/** While the database is away: longer than a failover, and not so long that an offer that was disabled meanwhile stays open. */
const KEPT_MS = 3_600_000;
/** A person waits for the answer, and what was known a moment ago is most likely right. */
const STORE_WAIT_MS = 500;

/** @param o `postgres` is asked for offers that are no longer shown, such as paused ones */
export function clickTargets(o: {
  readonly postgres: Queryable;
  readonly followed: Pick<FollowedOffers, 'addressOf'>;
}): ClickTargets {
  const addressOf = async (offerId: number): Promise<string | null> => {
    const current = o.followed.addressOf(offerId, FRESH_MS);
    if (current !== undefined) return current;
    const stored = findAddress(o.postgres, offerId);
    const before = o.followed.addressOf(offerId, KEPT_MS);
    if (before === undefined) return stored;
    const orBefore = () => before;
    return within(STORE_WAIT_MS, stored.catch(orBefore), orBefore);
  };
  return {
    find: async (offerId) => {
      const url = await addressOf(offerId);
      if (url === null) return null;
      // Without the database, the click goes on without tags.
      const untagged = () => url;
      return within(STORE_WAIT_MS, tagLink(o.postgres, offerId, url).catch(untagged), untagged);
    },
  };
}
