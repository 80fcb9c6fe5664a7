/** What an offer costs: counting the members, finding the rate, and the one price function. */
import type { Deadline } from '@offer-ads/platform/deadline';
import type { AudienceEngine } from './audience-engine.ts';
import type { EstimateForm } from './domain/estimate-form.ts';
import { exchangeRateOf } from './domain/exchange-rate.ts';
import { type Price, priceOf } from './domain/price.ts';
import { frankfurtDate } from './domain/target-calendar.ts';
import type { RatesStore } from './rates-store.ts';

export type OfferToPrice = EstimateForm & {
  /** The organisation's billing currency. */
  readonly currency: string;
  /** When the request arrived (decision 8). */
  readonly now: Date;
  readonly deadline: Deadline;
};

/** Estimate and creation both come here, so that the same inputs cost the same. */
export async function priceOffer(
  { audience, rates }: { readonly audience: AudienceEngine; readonly rates: RatesStore },
  { target, startAt, endAt, currency, now, deadline }: OfferToPrice,
): Promise<Price> {
  const [matchingUsers, latestRates] = await Promise.all([
    audience.count(target, deadline),
    rates.latest(frankfurtDate(now)),
  ]);
  const durationMs = endAt.getTime() - startAt.getTime();
  return priceOf({ durationMs, matchingUsers, exchangeRate: exchangeRateOf(currency, latestRates, now) });
}
