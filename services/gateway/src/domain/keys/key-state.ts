/**
 * Which keys work, which may be replaced, and how many there may be (specification, Authentication items 2 to 9). The only place with these
 * rules. A working key may still be refused because of its organisation or mode (limits/admission.ts).
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { mayWorkIn } from '../accounts/approval.ts';

/** Valid keys of one organisation in one mode: one for each of its systems, and more. */
export const mostKeysInForce = 100;

export type KeyState = 'in-force' | 'disabled' | 'expired' | 'owner-disabled';

export type KeyLife = { readonly disabledAt: Date | null; readonly expiresAt: Date | null };
type OwnedKeyLife = KeyLife & { readonly ownerEnabled: boolean };

/** Neither disabled nor expired. `inForceAt` in the store is the same in SQL; a test compares the two. */
export function isInForce(key: KeyLife, now: Date): boolean {
  return key.disabledAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/**
 * A key acts for the organisation: it keeps working when its owner's role is lowered, and lists show its owner. The owner is the person who
 * saw it: who created or rolled it. The keys of a disabled person stop working (specification, Authentication item 8) until the person is
 * enabled again.
 */
export function keyState(key: OwnedKeyLife, now: Date): KeyState {
  if (!isInForce(key, now)) return key.disabledAt === null ? 'expired' : 'disabled';
  return key.ownerEnabled ? 'in-force' : 'owner-disabled';
}

export type RollRefusal = 'key-not-in-force' | 'key-owner-disabled' | 'key-without-mode' | 'not-approved';

/** Null if the key may be rolled. A key that does not work cannot be rolled; people create a new one. */
export function refuseRoll(
  key: OwnedKeyLife & { readonly mode: Mode | null; readonly organisationApproved: boolean },
  now: Date,
): RollRefusal | null {
  switch (keyState(key, now)) {
    case 'disabled':
    case 'expired':
      return 'key-not-in-force';
    case 'owner-disabled':
      return 'key-owner-disabled';
    case 'in-force':
      if (key.mode === null) return 'key-without-mode';
      return mayWorkIn(key.mode, key.organisationApproved) ? null : 'not-approved';
  }
}
