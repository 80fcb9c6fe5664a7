/**
 * Which keys work, which may be rolled (replaced by a new key), and how many there may be (specification, Authentication items 2 to 9). No
 * other place has these rules, except for `inForceAt` in SQL (keys/keys-store.ts). A request with a working key may still be refused
 * because of its organisation or mode (admission.ts).
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { mayWorkIn } from '../accounts/approval.ts';

/** The maximum for one organisation in one mode: enough for a key for each of its systems. */
export const maxKeysInForce = 100;

export type KeyState = 'works' | 'disabled' | 'expired' | 'owner-disabled';

export type KeyLife = { readonly disabledAt: Date | null; readonly expiresAt: Date | null };
type OwnedKeyLife = KeyLife & { readonly ownerEnabled: boolean };

/** Neither disabled nor expired, whoever owns it. `inForceAt` in keys/keys-store.ts is the same in SQL; a test compares the two. */
export function isInForce(key: KeyLife, now: Date): boolean {
  return key.disabledAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/**
 * A key acts for the organisation, so it keeps working when its owner gets a role with fewer rights. The owner is the person
 * who created or rolled the key, or for whom the platform team did (decision 43, new and rolled keys). So each key belongs to the person who holds it.
 * The keys of a disabled person stop working (specification, Authentication item 8) until the person is enabled again.
 */
export function keyState(key: OwnedKeyLife, now: Date): KeyState {
  if (!isInForce(key, now)) return key.disabledAt === null ? 'expired' : 'disabled';
  return key.ownerEnabled ? 'works' : 'owner-disabled';
}

export type RollRefusal = 'key-not-in-force' | 'key-owner-disabled' | 'key-without-mode' | 'not-approved';

/**
 * Null if the key may be rolled. A key that cannot work cannot be rolled: people create a new one. A key without a mode is
 * like those from before modes were recorded (decision 24, form of keys).
 */
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
    case 'works':
      if (key.mode === null) return 'key-without-mode';
      return mayWorkIn(key.mode, key.organisationApproved) ? null : 'not-approved';
  }
}
