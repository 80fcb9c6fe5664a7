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
      /** More than one offer of a group. */
      readonly wanted?: number;
    }
  | {
      readonly reason: 'free-quota-exceeded';
      readonly limit: number;
      readonly created: number;
      readonly wanted?: number;
    };

/** The offers of one creation: their prices. */
type NewOffers = { readonly mode: Mode; readonly netMinor: readonly bigint[] };

/** All are allowed while each count is below its limit. `freeToday` is null if none is a free LIVE one. */
export type QuotaLimits = {
  readonly ofOrganisation: number;
  readonly ofPerson: number;
  readonly freeToday: number | null;
};

export function limitsFor(quota: Quota, offers: NewOffers): QuotaLimits {
  const { all, free } = wantedOf(offers);
  return {
    ofPerson: quota.perPerson - all + 1,
    ofOrganisation: quota.perOrganisation - all + 1,
    freeToday: free === 0 ? null : quota.freePerDay - free + 1,
  };
}

function wantedOf({ mode, netMinor }: NewOffers): { readonly all: number; readonly free: number } {
  const free = mode === 'LIVE' ? netMinor.filter((each) => each === 0n).length : 0;
  return { all: netMinor.length, free };
}

/** @returns null if the offers are allowed */
export function checkQuota(quota: Quota, inUse: OffersInUse, offers: NewOffers): QuotaRefusal | null {
  const limits = limitsFor(quota, offers);
  const { all, free } = wantedOf(offers);
  for (const [whose, counted, limit] of [
    ['person', 'ofPerson', quota.perPerson],
    ['organisation', 'ofOrganisation', quota.perOrganisation],
  ] as const) {
    if (inUse[counted] >= limits[counted])
      return {
        reason: 'quota-exceeded',
        whose,
        limit,
        inUse: inUse[counted],
        ...(all > 1 && { wanted: all }),
      };
  }
  return limits.freeToday !== null && inUse.freeToday >= limits.freeToday
    ? {
        reason: 'free-quota-exceeded',
        limit: quota.freePerDay,
        created: inUse.freeToday,
        ...(free > 1 && { wanted: free }),
      }
    : null;
}

/** The start of the instant's day, in UTC. */
export function dayOf(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
}
