/** Creates, rolls and disables placement keys. Only the platform team does (decision 203, placement keys). */
import { fullRights } from '@offer-ads/contracts/values/key-rights';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Administration } from '../accounts/change-organisation.ts';
import { composePlacementKey } from '../domain/keys/api-key.ts';
import { isInForce, maxKeysInForce } from '../domain/keys/key-state.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import { disableKey, setKeyLimit } from './keys-store.ts';
import { type IssuedKey, issueKey } from './manage-keys.ts';
import * as store from './placement-keys-store.ts';

export type PlacementKeyRefusal = 'key-unknown' | 'key-not-in-force' | 'too-many-keys';

export type PlacementKeyWish = {
  readonly mode: Mode;
  readonly name: string;
  readonly expiresAt: Date | null;
  readonly requestsPerMinute: number;
};

const maxKeysListed = 500;
const HOUR_MS = 3_600_000;

export type ManagedPlacementKeys = ReturnType<typeof managePlacementKeys>;

export function managePlacementKeys(o: Administration) {
  const { postgres, clock } = o;

  /** Locks the key and changes it. */
  function change<T>(
    id: number,
    deadline: Deadline,
    work: (tx: Transaction, key: store.PlacementKeyRecord) => Promise<Outcome<T, PlacementKeyRefusal>>,
  ): Promise<Outcome<T, PlacementKeyRefusal>> {
    return postgres.transaction(async (tx) => {
      const key = await store.lockPlacementKey(tx, id);
      return key === null ? refused('key-unknown') : work(tx, key);
    }, deadline);
  }

  const issue = (
    tx: Transaction,
    wish: PlacementKeyWish & { readonly rolledFrom: number | null },
    at: Date,
  ) =>
    issueKey(
      tx,
      { ...wish, organisationId: null, createdBy: null, rights: fullRights, spendsAs: null },
      at,
      (digits) => composePlacementKey(wish.mode, digits),
    );

  return {
    /** A repeated request creates a second key. Each is shown once; a key whose reply was lost must be disabled. */
    create: (wish: PlacementKeyWish, deadline: Deadline): Promise<Outcome<IssuedKey, PlacementKeyRefusal>> =>
      postgres.transaction(async (tx) => {
        const at = clock.now();
        if ((await store.countPlacementKeysInForce(tx, at)) >= maxKeysInForce)
          return refused('too-many-keys');
        return done(await issue(tx, { ...wish, rolledFrom: null }, at));
      }, deadline),

    /**
     * The new key takes over name, mode, expiry and limit. Without an overlap the old key has stopped working when this returns. With one it
     * expires after it, so that no request fails while the servers of the community platform get the new key.
     */
    roll: (id: number, { overlapHours }: { readonly overlapHours: number }, deadline: Deadline) =>
      change<IssuedKey>(id, deadline, async (tx, old) => {
        const at = clock.now();
        if (!isInForce(old, at)) return refused('key-not-in-force');
        if (overlapHours === 0) await disableKey(tx, { id, at, by: null });
        else if ((await store.countPlacementKeysInForce(tx, at)) >= maxKeysInForce)
          return refused('too-many-keys');
        else await store.expireAtLatest(tx, { id, at: new Date(at.getTime() + overlapHours * HOUR_MS) });
        return done(await issue(tx, { ...old, rolledFrom: id }, at));
      }),

    /** Disabling a disabled key changes nothing and has the same answer. */
    disable: (id: number, deadline: Deadline) =>
      change<store.PlacementKeyRecord>(id, deadline, async (tx, key) => {
        if (key.disabledAt !== null) return done(key);
        const disabledAt = clock.now();
        await disableKey(tx, { id, at: disabledAt, by: null });
        return done({ ...key, disabledAt });
      }),

    setLimit: (id: number, requestsPerMinute: number, deadline: Deadline) =>
      change<store.PlacementKeyRecord>(id, deadline, async (tx, key) => {
        await setKeyLimit(tx, { id, requestsPerMinute });
        return done({ ...key, requestsPerMinute });
      }),

    list: () => store.listPlacementKeys(postgres, maxKeysListed),
  };
}
