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

/** @returns null if one more offer is allowed */
export function checkQuota(
  quota: Quota,
  inUse: OffersInUse,
  offer: { readonly mode: Mode; readonly netMinor: bigint },
): QuotaRefusal | null {
  if (inUse.ofPerson >= quota.perPerson) {
    return { reason: 'quota-exceeded', whose: 'person', limit: quota.perPerson, inUse: inUse.ofPerson };
  }
  if (inUse.ofOrganisation >= quota.perOrganisation) {
    return {
      reason: 'quota-exceeded',
      whose: 'organisation',
      limit: quota.perOrganisation,
      inUse: inUse.ofOrganisation,
    };
  }
  const isFree = offer.mode === 'LIVE' && offer.netMinor === 0n;
  if (isFree && inUse.freeToday >= quota.freePerDay) {
    return { reason: 'free-quota-exceeded', limit: quota.freePerDay, created: inUse.freeToday };
  }
  return null;
}

/** The start of the instant's day, in UTC. */
export function dayOf(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
}
