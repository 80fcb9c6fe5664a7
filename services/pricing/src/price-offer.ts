/** Prices an offer: counts the members, finds the rate, and calls the price function. */
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { AudienceEngine } from './audience/audience.ts';
import { audienceShown } from './domain/cohort.ts';
import type { EstimateForm } from './domain/estimate-form.ts';
import { type Price, priceOf } from './domain/price.ts';
import type { PrivacyBudgets } from './privacy-budget/privacy-budgets.ts';
import type { Asker } from './privacy-budget/replica-budgets.ts';
import type { HeldRates } from './rates/held-rates.ts';

export type OfferToPrice = EstimateForm & {
  /** Priced in the organisation's billing currency; only approved organisations count real members. */
  readonly caller: Asker & Pick<CallerContext, 'currency' | 'organisationApproved'>;
  /** When the request arrived (decision 8, time of a request). */
  readonly now: Date;
  readonly deadline: Deadline;
};

export type PriceParts = {
  readonly audience: AudienceEngine;
  /** Generated members, for organisations that are not approved (decision 148, approval of organisations). */
  readonly sandbox: AudienceEngine;
  readonly rates: Pick<HeldRates, 'exchangeRate'>;
  /** Decide which count of real members is shown. */
  readonly privacyBudgets: Pick<PrivacyBudgets, 'discloseCount'>;
  /** Decision 71, rounded counts; also for generated members. 1 shows every exact count. */
  readonly minCohort: number;
};

/** Used by estimates and creations, so that the same inputs cost the same. */
export async function priceOffer(
  o: PriceParts,
  { target, startAt, endAt, caller, now, deadline }: OfferToPrice,
): Promise<Price> {
  const audience = caller.organisationApproved ? o.audience : o.sandbox;
  const counted = await audience.count(target, deadline);
  const matchingUsers = caller.organisationApproved
    ? o.privacyBudgets.discloseCount({ asker: caller, target, counted, now })
    : audienceShown(counted, o.minCohort);
  const durationMs = endAt.getTime() - startAt.getTime();
  return priceOf({ durationMs, matchingUsers, exchangeRate: o.rates.exchangeRate(caller.currency, now) });
}
