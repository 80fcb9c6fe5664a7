/** The rates for prices, in memory. */
import { type Cached, cache } from '../cached.ts';
import { type ExchangeRate, exchangeRateOf, type ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { frankfurtDate } from '../domain/rates/target-calendar.ts';
import type { RatesStore } from './rates-store.ts';

export type CachedRates = Pick<Cached<unknown>, 'refresh'> & {
  /** The stored fixings, newest first. */
  readonly fixings: () => readonly ReferenceRates[];
  /** The date of the newest fixing that is not in the future: `YYYY-MM-DD`, in Frankfurt. */
  readonly latestDate: (now: Date) => string | undefined;
  /** Null if the currency cannot be billed. */
  readonly exchangeRate: (currency: string, now: Date) => ExchangeRate | null;
};

/** Two weeks: older ones are out of date on any calendar and interest only people who read the store. */
const FIXINGS_CACHED = 10;
const MINUTE_MS = 60_000;

export async function cacheRates(store: Pick<RatesStore, 'newest'>): Promise<CachedRates> {
  const cached = await cache(() => store.newest(FIXINGS_CACHED));
  let known = new Map<string, ExchangeRate | null>();
  let knownFor: { readonly fixings: readonly ReferenceRates[]; readonly minute: number } | undefined;

  /** The calendar counts in minutes, so within a minute only new rates change the result. */
  function exchangeRate(currency: string, now: Date): ExchangeRate | null {
    const fixings = cached.current();
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (knownFor?.fixings !== fixings || knownFor.minute !== minute) {
      known = new Map();
      knownFor = { fixings, minute };
    }
    const rate = known.get(currency) ?? exchangeRateOf(currency, fixings, now);
    known.set(currency, rate);
    return rate;
  }

  return {
    refresh: cached.refresh,
    fixings: cached.current,
    latestDate: (now) => cached.current().find(({ date }) => date <= frankfurtDate(now))?.date,
    exchangeRate,
  };
}
