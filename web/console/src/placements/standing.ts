/** What lists say about a placement key. */
import type { PlacementKey } from '@offer-ads/contracts/admin/gateway-api';

export type Standing = {
  /** It is neither disabled nor expired. */
  readonly works: boolean;
  readonly text: string;
  readonly kind: 'good' | 'warning' | 'muted';
};

/** `replaced`: another key was made for it by a roll. */
export function standingOf(
  { disabledAt, expiresAt }: Pick<PlacementKey, 'disabledAt' | 'expiresAt'>,
  { replaced, now }: { readonly replaced: boolean; readonly now: Date },
): Standing {
  if (disabledAt !== null) return { works: false, text: replaced ? 'Rolled' : 'Disabled', kind: 'muted' };
  if (expiresAt !== null && new Date(expiresAt) <= now)
    return { works: false, text: replaced ? 'Rolled' : 'Expired', kind: 'muted' };
  return replaced
    ? { works: true, text: 'Rolled, still works', kind: 'warning' }
    : { works: true, text: 'Active', kind: 'good' };
}

/** The keys that another one has replaced. */
export function replacedKeys(keys: readonly Pick<PlacementKey, 'rolledFrom'>[]): ReadonlySet<number> {
  return new Set(keys.flatMap(({ rolledFrom }) => rolledFrom ?? []));
}

/** The beginning and end of a key, with dots for the secret part. */
export function maskOf({ mode, lastFour }: Pick<PlacementKey, 'mode' | 'lastFour'>): string {
  return `pk_place_${mode.toLowerCase()}_…${lastFour}`;
}
