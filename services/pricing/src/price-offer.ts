/** What an offer costs: counting the members, finding the rate, and the one price function. */
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { AudienceEngine } from './audience/audience-engine.ts';
import { audienceShown } from './domain/cohort.ts';
import type { EstimateForm } from './domain/estimate-form.ts';
import { type Price, priceOf } from './domain/price.ts';
import type { Asker } from './knowledge/knowledge-budget.ts';
import type { Knowledge } from './knowledge/open-knowledge.ts';
import type { HeldRates } from './rates/held-rates.ts';

export type OfferToPrice = EstimateForm & {
  /** Priced in the organisation's billing currency; real members count for approved organisations only. */
  readonly caller: Asker & Pick<CallerContext, 'currency' | 'organisationApproved'>;
  /** When the request arrived (decision 8, time of a request). */
  readonly now: Date;
  readonly deadline: Deadline;
};

export type PriceParts = {
  readonly audience: AudienceEngine;
  /** Made-up members, for organisations that are not approved (decision 148, approval of organisations). */
  readonly sandbox: AudienceEngine;
  readonly rates: Pick<HeldRates, 'exchangeRate'>;
  /** How many of the real members are told. */
  readonly knowledge: Pick<Knowledge, 'tell'>;
  /** Decision 71, rounded counts; for made-up members too. 1 shows every count as it is. */
  readonly minCohort: number;
};

/** Estimate and creation both come here, so that the same inputs cost the same. */
export async function priceOffer(
  o: PriceParts,
  { target, startAt, endAt, caller, now, deadline }: OfferToPrice,
): Promise<Price> {
  const audience = caller.organisationApproved ? o.audience : o.sandbox;
  const counted = await audience.count(target, deadline);
  const matchingUsers = caller.organisationApproved
    ? o.knowledge.tell({ asker: caller, target, counted, now })
    : audienceShown(counted, o.minCohort);
  const durationMs = endAt.getTime() - startAt.getTime();
  return priceOf({ durationMs, matchingUsers, exchangeRate: o.rates.exchangeRate(caller.currency, now) });
}
