/** What the platform team does with organisations; every change that others must know leaves as an event with it. */
import { OrganisationChanged, OrganisationRegistered, type Role } from '@offer-ads/contracts/gateway-events';
import type { Mode } from '@offer-ads/contracts/primitives';
import type { Clock } from '@offer-ads/platform/clock';
import { newEvent } from '@offer-ads/platform/events';
import { addToOutbox } from '@offer-ads/platform/outbox';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres';
import {
  defaultQuota,
  factsOf,
  type Organisation,
  personByEmail,
  type Quota,
} from './domain/organisation.ts';
import * as store from './organisations-store.ts';

export type OrganisationRefusal =
  | 'organisation-unknown'
  | 'person-unknown'
  | 'person-exists'
  | 'terms-superseded'
  | 'no-terms-published';
type Outcome<T> = { readonly ok: true; readonly value: T } | Refused;
type Refused = { readonly ok: false; readonly reason: OrganisationRefusal };

/** What is left out stays as it is. */
type QuotaWish = { readonly [Limit in keyof Quota]?: Quota[Limit] | undefined };

export type Organisations = ReturnType<typeof manageOrganisations>;

export function manageOrganisations(o: { postgres: Postgres; clock: Clock }) {
  const { postgres, clock } = o;
  return {
    register: (registration: store.Registration): Promise<Organisation> =>
      postgres.transaction(async (tx) => {
        const at = clock.now();
        const id = await store.insertOrganisation(tx, { registration, quota: defaultQuota, at });
        const organisation = await existing(tx, id);
        await announce(tx, OrganisationRegistered, organisation, at);
        return organisation;
      }),

    find: (id: number) => store.findOrganisation(postgres, id),
    list: () => store.listOrganisations(postgres),

    setEnabled: (id: number, enabled: boolean) =>
      change(o, id, async (tx) => {
        await store.setOrganisationEnabled(tx, id, enabled);
        return null;
      }),

    invite: (id: number, person: { email: string; role: Role }) =>
      change(o, id, async (tx, organisation) => {
        if (personByEmail(organisation, person.email) !== undefined) return 'person-exists';
        await store.insertPerson(tx, { organisationId: id, ...person, at: clock.now() });
        return null;
      }),

    setPersonEnabled: (id: number, email: string, enabled: boolean) =>
      change(o, id, async (tx, organisation) => {
        const person = personByEmail(organisation, email);
        if (person === undefined) return 'person-unknown';
        await store.setPersonEnabled(tx, person.id, enabled);
        return null;
      }),

    /** Nobody outside follows quotas: they travel in the caller context. */
    setQuota: (id: number, mode: Mode, wanted: QuotaWish): Promise<Outcome<Quota>> =>
      postgres.transaction(async (tx) => {
        if (!(await store.lockOrganisation(tx, id))) return refused('organisation-unknown');
        const now = (await existing(tx, id)).quotas[mode];
        const quota = {
          perPerson: wanted.perPerson ?? now.perPerson,
          perOrganisation: wanted.perOrganisation ?? now.perOrganisation,
        };
        await store.setQuota(tx, { organisationId: id, mode, quota });
        return { ok: true, value: quota };
      }),

    /** Publishing what is already the latest version changes nothing; an older one cannot come back. */
    publishTerms: async (version: string): Promise<Outcome<string>> => {
      const isNew = await store.insertTerms(postgres, { version, at: clock.now() });
      const latest = await store.latestTerms(postgres);
      return isNew || latest?.version === version
        ? { ok: true, value: version }
        : refused('terms-superseded');
    },

    /** Accepts the latest published version on the organisation's behalf. */
    acceptTerms: (id: number): Promise<Outcome<string>> =>
      postgres.transaction(async (tx) => {
        if (!(await store.lockOrganisation(tx, id))) return refused('organisation-unknown');
        const terms = await store.latestTerms(tx);
        if (terms === null) return refused('no-terms-published');
        await store.insertAcceptance(tx, { organisationId: id, termsId: terms.id, at: clock.now() });
        return { ok: true, value: terms.version };
      }),
  };
}

/** Locks the organisation, lets `work` change it or refuse, and announces the new facts, in one transaction. */
async function change(
  o: { postgres: Postgres; clock: Clock },
  id: number,
  work: (tx: Transaction, organisation: Organisation) => Promise<OrganisationRefusal | null>,
): Promise<Outcome<Organisation>> {
  return o.postgres.transaction(async (tx) => {
    if (!(await store.lockOrganisation(tx, id))) return refused('organisation-unknown');
    const reason = await work(tx, await existing(tx, id));
    if (reason !== null) return refused(reason);
    await store.raiseVersion(tx, id);
    const organisation = await existing(tx, id);
    await announce(tx, OrganisationChanged, organisation, o.clock.now());
    return { ok: true, value: organisation };
  });
}

async function existing(tx: Transaction, id: number): Promise<Organisation> {
  const organisation = await store.findOrganisation(tx, id);
  if (organisation === null) throw new Error(`organisation ${id} was there a moment ago`);
  return organisation;
}

async function announce(
  tx: Transaction,
  declaration: typeof OrganisationRegistered | typeof OrganisationChanged,
  organisation: Organisation,
  at: Date,
): Promise<void> {
  const event = newEvent(declaration, {
    subject: `organisation/${organisation.id}`,
    subjectVersion: organisation.version,
    at,
    data: factsOf(organisation),
  });
  await addToOutbox(tx, [event]);
}

function refused(reason: OrganisationRefusal): Refused {
  return { ok: false, reason };
}
