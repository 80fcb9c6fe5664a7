/**
 * How many offers may exist at a time, and how many free LIVE offers may be created in a day (E4, decisions 17, quota of offers, and 160,
 * free LIVE offers).
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';

/** Offers of one mode that are neither deleted nor Ended; reservations of unfinished creations count. */
export type OffersInUse = {
  readonly ofOrganisation: number;
  readonly ofPerson: number;
  /** LIVE offers of the organisation that cost 0.00 and were created on this day, including deleted ones. */
  readonly freeToday: number;
};

export type Quota = {
  readonly perOrganisation: number;
  readonly perPerson: number;
  /** The limit of LIVE offers that cost 0.00, per organisation. */
  readonly freePerDay: number;
};

export type QuotaRefusal =
  | {
      readonly reason: 'quota-exceeded';
      readonly whose: 'organisation' | 'person';
      readonly limit: number;
      readonly inUse: number;
    }
  | { readonly reason: 'free-quota-exceeded'; readonly limit: number; readonly created: number };

type NewOffer = { readonly mode: Mode; readonly netMinor: bigint };

/** One more offer is allowed while each count is below its limit. `freeToday` is null if the offer is not a free LIVE one. */
export type QuotaLimits = {
  readonly ofOrganisation: number;
  readonly ofPerson: number;
  readonly freeToday: number | null;
};

export function limitsFor(quota: Quota, offer: NewOffer): QuotaLimits {
  const isFree = offer.mode === 'LIVE' && offer.netMinor === 0n;
  return {
    ofPerson: quota.perPerson,
    ofOrganisation: quota.perOrganisation,
    freeToday: isFree ? quota.freePerDay : null,
  };
}

/** @returns null if one more offer is allowed */
export function checkQuota(quota: Quota, inUse: OffersInUse, offer: NewOffer): QuotaRefusal | null {
  const limits = limitsFor(quota, offer);
  for (const [whose, counted] of [
    ['person', 'ofPerson'],
    ['organisation', 'ofOrganisation'],
  ] as const) {
    if (inUse[counted] >= limits[counted])
      return { reason: 'quota-exceeded', whose, limit: limits[counted], inUse: inUse[counted] };
  }
  return limits.freeToday !== null && inUse.freeToday >= limits.freeToday
    ? { reason: 'free-quota-exceeded', limit: limits.freeToday, created: inUse.freeToday }
    : null;
}

/** The start of the instant's day, in UTC. */
export function dayOf(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
}
