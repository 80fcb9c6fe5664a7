/**
 * Creates, rolls and disables API keys (specification, Authentication items 2 to 4; decisions 24, form of keys, and 25, revoked on every
 * replica).
 */
import { randomInt } from 'node:crypto';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { type Administration, withOrganisation } from '../accounts/change-organisation.ts';
import { mayWorkIn } from '../domain/accounts/approval.ts';
import { firstAdminOf, type Organisation } from '../domain/accounts/organisation.ts';
import { type Actor, actorMay, personIdOf, personOf } from '../domain/accounts/people.ts';
import { composeKey, lastFourOf, randomDigitsOfKey } from '../domain/keys/api-key.ts';
import { isInForce, maxKeysInForce, type RollRefusal, refuseRoll } from '../domain/keys/key-state.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import * as store from './keys-store.ts';
import { sha256Of } from './keys-store.ts';

export type KeyRefusal =
  | RollRefusal
  | 'organisation-unknown'
  | 'person-unknown'
  | 'not-allowed'
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
  readonly organisationId: number;
  readonly mode: Mode | null;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** The owner, if the platform team creates the key; by default the organisation's first admin. */
  readonly personEmail?: string | undefined;
  readonly requestsPerMinute?: number | null;
};
type DisabledKey = store.KeyRecord & { readonly disabledAt: Date };
/** A key by its id. `organisationId` restricts people to the keys of their own organisation. */
type KeyRef = { readonly id: number; readonly organisationId?: number | undefined };

/** All keys that can be valid at once, three hundred, and the latest invalid ones. */
const maxKeysListed = 500;

export type Keys = ReturnType<typeof manageKeys>;

export function manageKeys(o: Administration) {
  const { postgres, clock } = o;
  return {
    /** A repeated request creates a second key. Each is shown once; a key whose reply was lost must be disabled. */
    create: (wish: KeyWish, by: Actor, deadline: Deadline): Promise<Outcome<IssuedKey, KeyRefusal>> =>
      withOrganisation<IssuedKey, KeyRefusal>(o, wish.organisationId, deadline, async (tx, organisation) => {
        const at = clock.now();
        if (!actorMay(organisation, by, 'keys')) return refused('not-allowed');
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
        if ((await store.countKeysInForce(tx, { ...wish, at })) >= maxKeysInForce)
          return refused('too-many-keys');
        const { requestsPerMinute = null } = wish;
        return done(
          await issueKey(tx, { ...wish, createdBy: owner.id, rolledFrom: null, requestsPerMinute }, at),
        );
      }),

    /**
     * The new key takes over name, mode, expiry and limit. The old key has stopped working when this returns. The new key belongs to the
     * person who rolled it, because only that person has seen it: if the person is disabled, the key stops (decision 43, new and rolled
     * keys).
     */
    roll: async (ref: KeyRef, by: Actor, deadline: Deadline): Promise<Outcome<IssuedKey, KeyRefusal>> => {
      return withKey<IssuedKey>(o, ref, { by, deadline }, async (tx, old, organisation) => {
        const at = clock.now();
        const organisationApproved = organisation.approval !== null;
        const refusal = refuseRoll({ ...old, organisationApproved }, at);
        if (refusal !== null) return refused(refusal);
        await store.disableKey(tx, { id: old.id, at, by: personIdOf(by) });
        // If the platform team rolls a key, the new key belongs to the old one's owner.
        const createdBy = personIdOf(by) ?? old.createdBy;
        return done(await issueKey(tx, { ...old, createdBy, rolledFrom: old.id }, at));
      });
    },

    /** Disabling a disabled key changes nothing and has the same answer. */
    disable: async (
      ref: KeyRef,
      by: Actor,
      deadline: Deadline,
    ): Promise<Outcome<DisabledKey, KeyRefusal>> => {
      return withKey<DisabledKey>(o, ref, { by, deadline }, async (tx, locked) => {
        const { ownerEnabled: _, ...key } = locked;
        if (key.disabledAt !== null) return done({ ...key, disabledAt: key.disabledAt });
        const disabledAt = clock.now();
        await store.disableKey(tx, { id: key.id, at: disabledAt, by: personIdOf(by) });
        return done({ ...key, disabledAt });
      });
    },

    /** In force on every replica when this returns; null removes the limit. */
    setLimit: async (
      id: number,
      requestsPerMinute: number | null,
      deadline: Deadline,
    ): Promise<Outcome<store.KeyRecord, KeyRefusal>> => {
      const ref = { id };
      return withKey<store.KeyRecord>(o, ref, { by: 'platform-team', deadline }, async (tx, locked) => {
        const { ownerEnabled: _, ...key } = locked;
        await store.setKeyLimit(tx, { id, requestsPerMinute });
        return done({ ...key, requestsPerMinute });
      });
    },

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
  ref: KeyRef,
  { by, deadline }: { readonly by: Actor; readonly deadline: Deadline },
  work: (
    tx: Transaction,
    key: store.LockedKey,
    organisation: Organisation,
  ) => Promise<Outcome<T, KeyRefusal>>,
): Promise<Outcome<T, KeyRefusal>> {
  const organisationId = ref.organisationId ?? (await store.organisationOfKey(o.postgres, ref.id));
  if (organisationId === null) return refused('key-unknown');
  return withOrganisation<T, KeyRefusal>(o, organisationId, deadline, async (tx, organisation) => {
    if (!actorMay(organisation, by, 'keys')) return refused('not-allowed');
    const key = await store.lockKey(tx, { id: ref.id, organisationId });
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
  const id = await store.insertKey(tx, { ...wish, sha256: sha256Of(key), lastFour, createdAt: at });
  return { id, key, lastFour, mode: wish.mode, expiresAt: wish.expiresAt };
}
