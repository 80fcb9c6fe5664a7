/** Prices an offer: counts the members, finds the rate, and calls the price function. */
import type { Target } from '@offer-ads/contracts/audience/target';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { AudienceEngine } from './audience/audience.ts';
import { audienceShown } from './domain/cohort.ts';
import type { EstimateForm } from './domain/estimate-form.ts';
import { type Price, priceOf } from './domain/price.ts';
import type { PrivacyBudgets } from './privacy-budget/privacy-budgets.ts';
import type { Asker } from './privacy-budget/replica-budgets.ts';
import type { CachedRates } from './rates/cached-rates.ts';

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
  readonly rates: Pick<CachedRates, 'exchangeRate'>;
  /** Decide which count of real members is shown. */
  readonly privacyBudgets: Pick<PrivacyBudgets, 'discloseCount'>;
  /** Decision 71, rounded counts; also for generated members. 1 shows every exact count. */
  readonly minCohort: number;
};

export type OfferPrice = Price & {
  /** Nobody matches, but somebody would with latitude and longitude exchanged. */
  readonly isPlaceSwapped?: boolean;
};

/** Used by estimates and creations, so that the same inputs cost the same. */
export async function priceOffer(
  o: PriceParts,
  { target, startAt, endAt, caller, now, deadline }: OfferToPrice,
): Promise<OfferPrice> {
  const audience = caller.organisationApproved ? o.audience : o.sandbox;
  const count = async (asked: Target): Promise<number> => {
    const counted = await audience.count(asked, deadline);
    return caller.organisationApproved
      ? o.privacyBudgets.discloseCount({ asker: caller, target: asked, counted, now })
      : audienceShown(counted, o.minCohort);
  };
  const matchingUsers = await count(target);
  const { latitude, longitude } = target;
  // Costs the same budgets as an estimate for that place, and tells less. An angle beyond 90 degrees is no latitude.
  const isPlaceSwapped =
    matchingUsers === 0 &&
    Math.abs(longitude) <= 90 &&
    latitude !== longitude &&
    (await count({ ...target, latitude: longitude, longitude: latitude })) > 0;
  const durationMs = endAt.getTime() - startAt.getTime();
  const exchangeRate = o.rates.exchangeRate(caller.currency, now);
  return {
    ...priceOf({ durationMs, matchingUsers, exchangeRate }),
    ...(isPlaceSwapped && { isPlaceSwapped }),
  };
}

/** The price of the same offer at each of a bounded number of places. Each count costs what that of a single offer costs. */
export function priceGroup(
  o: PriceParts,
  offer: OfferToPrice,
  places: readonly Pick<Target, 'latitude' | 'longitude'>[],
): Promise<OfferPrice[]> {
  return Promise.all(
    places.map(({ latitude, longitude }) =>
      priceOffer(o, { ...offer, target: { ...offer.target, latitude, longitude } }),
    ),
  );
}
