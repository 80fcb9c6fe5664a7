/** Getting the day's rates: fetched, checked, stored. Whatever goes wrong, the last good rates stay. */
import type { Clock } from '@offer-ads/platform/clock';
import { type FeedResult, fetchRates } from './rates-feed.ts';
import type { RatesStore } from './rates-store.ts';

export type RefreshRates = (signal?: AbortSignal) => Promise<FeedResult>;

/** Any replica may do this at any time: the same fixing is stored again as it was. */
export function ratesRefresher(o: { url: string; rates: RatesStore; clock: Clock }): RefreshRates {
  return async (signal) => {
    const now = o.clock.now();
    const result = await fetchRates({ url: o.url, now, ...(signal && { signal }) });
    if (result.ok) await o.rates.save(result.rates, now);
    return result;
  };
}
