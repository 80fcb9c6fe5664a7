/**
 * Creates, rolls and disables API keys (specification, Authentication items 2 to 4; decisions 24, form of keys, and 25, revoked on every
 * replica).
 */
import { randomInt } from 'node:crypto';
import { fullRights, type KeyRights, type KeyRightsChange } from '@offer-ads/contracts/values/key-rights';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import {
  type Administration,
  type Change,
  type OrganisationRefusal,
  withOrganisation,
} from '../accounts/change-organisation.ts';
import { mayWorkIn } from '../domain/accounts/approval.ts';
import { firstAdminOf, type Organisation } from '../domain/accounts/organisation.ts';
import { personIdOf, personOf } from '../domain/accounts/people.ts';
import type { Permission } from '../domain/accounts/roles.ts';
import { composeKey, lastFourOf, randomDigitsOfKey } from '../domain/keys/api-key.ts';
import { isInForce, maxKeysInForce, type RollRefusal, refuseRoll } from '../domain/keys/key-state.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import * as store from './keys-store.ts';

export type KeyRefusal =
  | RollRefusal
  | OrganisationRefusal
  | 'person-unknown'
  | 'expiry-passed'
  | 'too-many-keys'
  | 'key-unknown';
/** The only place where the whole key exists, apart from its owner. */
export type IssuedKey = {
  readonly id: number;
  readonly key: string;
  readonly lastFour: string;
  readonly mode: Mode | null;
  readonly expiresAt: Date | null;
};

export type KeyWish = {
  readonly mode: Mode | null;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** The owner, if the platform team creates the key; by default the organisation's first admin. */
  readonly personEmail?: string | undefined;
  readonly requestsPerMinute?: number | null;
  /** Not restricted unless given. */
  readonly rights?: KeyRights | undefined;
};
type DisabledKey = store.KeyRecord & { readonly disabledAt: Date };
/** Who changes the key with this id. `organisationId` restricts people to the keys of their own organisation. */
type KeyChange = Omit<Change, 'organisationId'> & { readonly id: number; readonly organisationId?: number };

/** All keys that can be valid at once, three hundred, and the latest invalid ones. */
const maxKeysListed = 500;

export type Keys = ReturnType<typeof manageKeys>;

export function manageKeys(o: Administration) {
  const { postgres, clock } = o;
  return {
    /** A repeated request creates a second key. Each is shown once; a key whose reply was lost must be disabled. */
    create: (change: Change, wish: KeyWish) =>
      withOrganisation<IssuedKey, KeyRefusal>(
        o,
        { ...change, permission: 'keys' },
        async (tx, organisation) => {
          const at = clock.now();
          const { by, organisationId } = change;
          if (wish.mode !== null && !mayWorkIn(wish.mode, organisation.approval !== null))
            return refused('not-approved');
          const owner =
            by !== 'platform-team'
              ? personOf(organisation, { id: by.personId })
              : wish.personEmail === undefined
                ? firstAdminOf(organisation)
                : personOf(organisation, { email: wish.personEmail });
          if (owner === undefined) return refused('person-unknown');
          // The platform team may create an expired key, to test how callers handle it.
          if (by !== 'platform-team' && !isInForce({ ...wish, disabledAt: null }, at))
            return refused('expiry-passed');
          const { mode, requestsPerMinute = null, rights = fullRights } = wish;
          if ((await store.countKeysInForce(tx, { organisationId, mode, at })) >= maxKeysInForce)
            return refused('too-many-keys');
          const key = { ...wish, organisationId, createdBy: owner.id, requestsPerMinute, rights };
          return done(await issueKey(tx, { ...key, rolledFrom: null, spendsAs: null }, at));
        },
      ),

    /**
     * The new key takes over name, mode, expiry, limit and rights, and what the old key has spent counts for it. The old key has stopped
     * working when this returns. The new key belongs to the person who rolled it, because only that person has seen it: if the person is
     * disabled, the key stops (decision 43, new and rolled keys).
     */
    roll: (change: KeyChange) =>
      withKey<IssuedKey>(o, change, async (tx, old, organisation) => {
        const { by } = change;
        const at = clock.now();
        const organisationApproved = organisation.approval !== null;
        const refusal = refuseRoll({ ...old, organisationApproved }, at);
        if (refusal !== null) return refused(refusal);
        await store.disableKey(tx, { id: old.id, at, by: personIdOf(by) });
        // If the platform team rolls a key, the new key belongs to the old one's owner.
        const createdBy = personIdOf(by) ?? old.createdBy;
        return done(await issueKey(tx, { ...old, createdBy, rolledFrom: old.id }, at));
      }),

    /** Disabling a disabled key changes nothing and has the same answer. */
    disable: (change: KeyChange) =>
      withKey<DisabledKey>(o, change, async (tx, locked) => {
        const { ownerEnabled: _, spendsAs: __, ...key } = locked;
        if (key.disabledAt !== null) return done({ ...key, disabledAt: key.disabledAt });
        const disabledAt = clock.now();
        await store.disableKey(tx, { id: key.id, at: disabledAt, by: personIdOf(change.by) });
        return done({ ...key, disabledAt });
      }),

    /** In force on every replica when this returns; null removes the limit. */
    setLimit: (change: KeyChange, requestsPerMinute: number | null) =>
      withKey<store.KeyRecord>(o, change, async (tx, locked) => {
        const { ownerEnabled: _, spendsAs: __, ...key } = locked;
        await store.setKeyLimit(tx, { id: key.id, requestsPerMinute });
        return done({ ...key, requestsPerMinute });
      }),

    /** In force on every replica when this returns. What is left out stays. */
    setRights: (change: KeyChange, changed: KeyRightsChange) =>
      withKey<{ readonly id: number; readonly rights: KeyRights }>(
        o,
        change,
        async (tx, { id }) => done({ id, rights: await store.changeRights(tx, { id, changed }) }),
        'key-rights',
      ),

    list: (organisationId: number) => store.listKeys(postgres, organisationId),
    listOwned: (organisationId: number) =>
      store.listOwnedKeys(postgres, { organisationId, at: clock.now(), limit: maxKeysListed }),
  };
}

/**
 * Locks the organisation before its key, as creating does: the actor's rights are checked under the lock under which people are changed
 * (decision 38, rights by role), and the key's owner is read under the lock.
 */
async function withKey<T>(
  o: Pick<Administration, 'postgres'>,
  change: KeyChange,
  work: (
    tx: Transaction,
    key: store.LockedKey,
    organisation: Organisation,
  ) => Promise<Outcome<T, KeyRefusal>>,
  permission: Permission = 'keys',
): Promise<Outcome<T, KeyRefusal>> {
  const { id } = change;
  const organisationId = change.organisationId ?? (await store.organisationOfKey(o.postgres, id));
  if (organisationId === null) return refused('key-unknown');
  const permitted = { ...change, organisationId, permission };
  return withOrganisation<T, KeyRefusal>(o, permitted, async (tx, organisation) => {
    const key = await store.lockKey(tx, { id, organisationId });
    return key === null ? refused('key-unknown') : work(tx, key, organisation);
  });
}

export async function issueKey(
  tx: Transaction,
  wish: Omit<store.NewKey, 'sha256' | 'lastFour' | 'createdAt'>,
  at: Date,
  compose = (digits: readonly number[]) => composeKey(wish.mode, digits),
): Promise<IssuedKey> {
  const key = compose(Array.from({ length: randomDigitsOfKey }, () => randomInt(62)));
  const lastFour = lastFourOf(key);
  const id = await store.insertKey(tx, { ...wish, sha256: store.sha256Of(key), lastFour, createdAt: at });
  return { id, key, lastFour, mode: wish.mode, expiresAt: wish.expiresAt };
}
