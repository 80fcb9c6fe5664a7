/** What an offer costs: counting the members, finding the rate, and the one price function. */
import type { Deadline } from '@offer-ads/platform/deadline';
import type { AudienceEngine } from './audience-engine.ts';
import { audienceShown } from './domain/cohort.ts';
import type { EstimateForm } from './domain/estimate-form.ts';
import { type Price, priceOf } from './domain/price.ts';
import type { HeldRates } from './held-rates.ts';

export type OfferToPrice = EstimateForm & {
  /** The organisation's billing currency. */
  readonly currency: string;
  /** Whose members count: real ones for approved organisations only. */
  readonly organisationApproved: boolean;
  /** When the request arrived (decision 8). */
  readonly now: Date;
  readonly deadline: Deadline;
};

export type PriceParts = {
  readonly audience: AudienceEngine;
  /** Made-up members, for organisations that are not approved (decision 148). */
  readonly sandbox: AudienceEngine;
  readonly rates: Pick<HeldRates, 'exchangeRate'>;
  /** Decision 71; 1 shows every count as it is. */
  readonly minCohort: number;
};

/** Estimate and creation both come here, so that the same inputs cost the same. */
export async function priceOffer(
  o: PriceParts,
  { target, startAt, endAt, currency, organisationApproved, now, deadline }: OfferToPrice,
): Promise<Price> {
  const audience = organisationApproved ? o.audience : o.sandbox;
  const matchingUsers = audienceShown(await audience.count(target, deadline), o.minCohort);
  const durationMs = endAt.getTime() - startAt.getTime();
  return priceOf({ durationMs, matchingUsers, exchangeRate: o.rates.exchangeRate(currency, now) });
}
