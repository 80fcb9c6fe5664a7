/** The portal's list of offers: its orders and bounds. Apart from the schemas, because pages use them too. */

export const offerSorts = ['newest', 'ending_soon', 'most_views', 'most_clicks', 'most_spend'] as const;
export type OfferSort = (typeof offerSorts)[number];

/**
 * With a search or another order than the newest first, a page of the list examines at most this many offers. Twice as many would make an
 * organisation with a million offers wait more than 1.5 times as long as one with a thousand.
 */
export const EXAMINED_OFFERS = 3_000;

/** Of one command for many offers. */
export const MAX_OFFERS_AT_ONCE = 100;
