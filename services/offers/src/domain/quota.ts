/** How many offers may exist at a time (E4, decision 17). */

/** Offers of one mode that are neither deleted nor Ended; reservations of unfinished creations count. */
export type OffersInUse = { readonly ofOrganisation: number; readonly ofPerson: number };

export type Quota = { readonly perOrganisation: number; readonly perPerson: number };

export type QuotaRefusal = {
  readonly reason: 'quota-exceeded';
  readonly whose: 'organisation' | 'person';
  readonly limit: number;
  readonly inUse: number;
};

/** @returns null when there is room for one more */
export function checkQuota(quota: Quota, inUse: OffersInUse): QuotaRefusal | null {
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
  return null;
}
