/** The person of an ID token: their name for audit logs, and their roles in the console. */
import type { StaffRole } from '@offer-ads/contracts/admin/staff-calls';

export type Person = {
  /** Audit logs show it. */
  readonly name: string;
  /** Their id at the sign-in service, which never changes; null for an emergency token. */
  readonly subject: string | null;
  readonly roles: readonly StaffRole[];
  readonly via: 'console' | 'emergency';
};

export type ClaimSettings = {
  readonly nameClaim: string;
  readonly rolesClaim: string;
  /** The role of each group, by the group's name in the claim. */
  readonly roleOfGroup: ReadonlyMap<string, StaffRole>;
};

export type PersonRefusal = 'no-name' | 'no-role';
type Found =
  | { readonly ok: true; readonly person: Person }
  | { readonly ok: false; readonly reason: 'no-name' }
  | { readonly ok: false; readonly reason: 'no-role'; readonly person: Person };

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

const MAX_GROUPS = 1_000;
const printable = /^[\x20-\x7e]{1,100}$/;

/** `claims`: of an ID token whose signature, issuer, audience, nonce and times were checked. */
export function personOf(claims: Claims, o: ClaimSettings): Found {
  const name = claimAt(claims, o.nameClaim);
  // An address that nobody has verified may be that of another person.
  const isUnverified = o.nameClaim === 'email' && claims.email_verified === false;
  if (typeof name !== 'string' || !printable.test(name) || isUnverified)
    return { ok: false, reason: 'no-name' };
  const groups = [claimAt(claims, o.rolesClaim)].flat().slice(0, MAX_GROUPS);
  const roles = groups.flatMap((group) =>
    typeof group === 'string' ? (o.roleOfGroup.get(group) ?? []) : [],
  );
  const person = {
    name,
    subject: claims.sub,
    roles: [...new Set(roles)].toSorted(),
    via: 'console',
  } as const;
  return roles.length === 0 ? { ok: false, reason: 'no-role', person } : { ok: true, person };
}

/** A claim by its name, or by its path: `realm_access.roles`. Names may have dots themselves. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((value, key) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isObject ? (value as Record<string, unknown>)[key] : undefined;
  }, claims);
}
