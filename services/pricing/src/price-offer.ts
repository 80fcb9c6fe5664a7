/** What an offer costs: counting the members, finding the rate, and the one price function. */
import type { Deadline } from '@offer-ads/platform/deadline';
import type { AudienceEngine } from './audience-engine.ts';
import type { EstimateForm } from './domain/estimate-form.ts';
import { type Price, priceOf } from './domain/price.ts';
import type { HeldRates } from './held-rates.ts';

export type OfferToPrice = EstimateForm & {
  /** The organisation's billing currency. */
  readonly currency: string;
  /** When the request arrived (decision 8). */
  readonly now: Date;
  readonly deadline: Deadline;
};

/** Estimate and creation both come here, so that the same inputs cost the same. */
export async function priceOffer(
  o: { readonly audience: AudienceEngine; readonly rates: Pick<HeldRates, 'exchangeRate'> },
  { target, startAt, endAt, currency, now, deadline }: OfferToPrice,
): Promise<Price> {
  const matchingUsers = await o.audience.count(target, deadline);
  const durationMs = endAt.getTime() - startAt.getTime();
  return priceOf({ durationMs, matchingUsers, exchangeRate: o.rates.exchangeRate(currency, now) });
}
