/** Getting the day's rates: fetched, checked, stored. Whatever goes wrong, the last good rates stay. */
import type { Clock } from '@offer-ads/platform/clock';
import { frankfurtDate, isNewerDue } from './domain/target-calendar.ts';
import { type FeedResult, fetchRates } from './rates-feed.ts';
import type { RatesStore } from './rates-store.ts';

export type RatesRefresher = {
  /**
   * For a person who asks for it: takes the feed at its word. Should it name an earlier date than the latest stored,
   * the fixings after that date count as withdrawn, which is how a wrong one is got rid of.
   */
  readonly refreshNow: () => Promise<FeedResult>;
  /** Leaves the feed alone while nothing newer can be there. Throws when it is there and cannot be had. */
  readonly refreshWhenDue: (signal?: AbortSignal) => Promise<void>;
};

export function ratesRefresher(o: { url: string; rates: RatesStore; clock: Clock }): RatesRefresher {
  /** Any replica may do this at any time: the same fixing is stored again as it was. */
  const refresh = async (signal?: AbortSignal): Promise<FeedResult> => {
    const now = o.clock.now();
    const result = await fetchRates({ url: o.url, now, ...(signal && { signal }) });
    if (result.ok) await o.rates.save(result.rates, now);
    return result;
  };
  return {
    refreshNow: async () => {
      const result = await refresh();
      if (result.ok) await o.rates.withdrawAfter(result.rates.date);
      return result;
    },
    refreshWhenDue: async (signal) => {
      const now = o.clock.now();
      const latest = await o.rates.latest(frankfurtDate(now));
      if (latest !== null && !isNewerDue(latest.date, now)) return;
      const result = await refresh(signal);
      if (!result.ok) throw new Error(result.problem);
    },
  };
}
