/** Creating, rolling and disabling API keys (specification, Authentication items 2 to 4; decisions 24 and 25). */
import { randomInt } from 'node:crypto';
import type { Mode } from '@offer-ads/contracts/primitives';
import type { Clock } from '@offer-ads/platform/clock';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres';
import { composeKey, lastFourOf, randomDigitsOfKey } from './domain/api-key.ts';
import { firstAdminOf, personByEmail } from './domain/organisation.ts';
import { sha256Of } from './key-look-up.ts';
import * as store from './keys-store.ts';
import { findOrganisation } from './organisations-store.ts';

export type KeyRefusal =
  | 'organisation-unknown'
  | 'person-unknown'
  | 'key-unknown'
  | 'key-not-in-force'
  | 'key-without-mode';
/** The only moment at which the whole key exists outside of its owner's hands. */
export type IssuedKey = {
  readonly id: number;
  readonly key: string;
  readonly lastFour: string;
  readonly mode: Mode | null;
  readonly expiresAt: Date | null;
};
type Outcome<T> = { readonly ok: true; readonly value: T } | Refused;
type Refused = { readonly ok: false; readonly reason: KeyRefusal };

export type KeyWish = {
  readonly organisationId: number;
  readonly mode: Mode | null;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** Whose key it is; the organisation's first admin when nobody is named. */
  readonly personEmail?: string | undefined;
};

export type Keys = ReturnType<typeof manageKeys>;

/** `untilForgotten` ends when no replica can remember what a key was before. */
export function manageKeys(o: { postgres: Postgres; clock: Clock; untilForgotten: () => Promise<void> }) {
  const { postgres, clock } = o;
  return {
    create: async (wish: KeyWish): Promise<Outcome<IssuedKey>> => {
      const organisation = await findOrganisation(postgres, wish.organisationId);
      if (organisation === null) return refused('organisation-unknown');
      const person =
        wish.personEmail === undefined
          ? firstAdminOf(organisation)
          : personByEmail(organisation, wish.personEmail);
      if (person === undefined) return refused('person-unknown');
      return { ok: true, value: await issue(postgres, { ...wish, createdBy: person.id }, clock.now()) };
    },

    /** The new key takes over name, mode, person and expiry; the old one has stopped working when this returns. */
    roll: async (id: number): Promise<Outcome<IssuedKey>> => {
      const outcome = await postgres.transaction(async (tx): Promise<Outcome<IssuedKey>> => {
        const at = clock.now();
        const old = await store.lockKey(tx, id);
        if (old === null) return refused('key-unknown');
        if (old.disabledAt !== null || (old.expiresAt !== null && old.expiresAt <= at)) {
          return refused('key-not-in-force');
        }
        if (old.mode === null) return refused('key-without-mode');
        await store.disableKey(tx, { id, at });
        return { ok: true, value: await issue(tx, old, at) };
      });
      if (outcome.ok) await o.untilForgotten();
      return outcome;
    },

    disable: async (id: number): Promise<Outcome<store.KeyRecord>> => {
      const outcome = await postgres.transaction(async (tx): Promise<Outcome<store.KeyRecord>> => {
        const key = await store.lockKey(tx, id);
        if (key === null) return refused('key-unknown');
        const disabledAt = key.disabledAt ?? clock.now();
        await store.disableKey(tx, { id, at: disabledAt });
        return { ok: true, value: { ...key, disabledAt } };
      });
      if (outcome.ok) await o.untilForgotten();
      return outcome;
    },

    list: (organisationId: number) => store.listKeys(postgres, organisationId),
  };
}

async function issue(
  on: Queryable,
  wish: Pick<store.NewKey, 'organisationId' | 'createdBy' | 'mode' | 'name' | 'expiresAt'>,
  at: Date,
): Promise<IssuedKey> {
  const digits = Array.from({ length: randomDigitsOfKey }, () => randomInt(62));
  const key = composeKey(wish.mode, digits);
  const lastFour = lastFourOf(key);
  const id = await store.insertKey(on, {
    organisationId: wish.organisationId,
    createdBy: wish.createdBy,
    sha256: sha256Of(key),
    lastFour,
    mode: wish.mode,
    name: wish.name,
    createdAt: at,
    expiresAt: wish.expiresAt,
  });
  return { id, key, lastFour, mode: wish.mode, expiresAt: wish.expiresAt };
}

function refused(reason: KeyRefusal): Refused {
  return { ok: false, reason };
}
