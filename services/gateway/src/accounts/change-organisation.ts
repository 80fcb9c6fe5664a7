/** Changes organisations, one change at a time, and publishes each change in the transaction that makes it. */
import { OrganisationChanged, type OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { publish } from '@offer-ads/platform/messaging/outbox';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { factsOf, type Organisation } from '../domain/accounts/organisation.ts';
import { type Actor, actorMay } from '../domain/accounts/people.ts';
import type { Permission } from '../domain/accounts/roles.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import { type SubjectSemaphore, subjectSemaphore } from '../subject-semaphore.ts';
import { findAwaiting, findOrganisation, lockOrganisation, raiseVersion } from './organisations-store.ts';

/** The dependencies of the use cases for organisations. */
export type Administration = {
  readonly postgres: Postgres;
  readonly clock: Clock;
};

/** Who changes which organisation. Nothing is committed after the deadline (docs/adr/0020). */
export type Change = { readonly organisationId: number; readonly by: Actor; readonly deadline: Deadline };
/** With what its author must be allowed to do; without a permission, whoever calls has the right. */
type PermittedChange = Omit<Change, 'by'> &
  (
    | { readonly by: Actor; readonly permission: Permission }
    | { readonly by?: Actor; readonly permission?: undefined }
  );

export type OrganisationRefusal = 'organisation-unknown' | 'not-allowed';

/**
 * Locks the organisation and calls `work` with its current state. `work` refuses before it writes, because the transaction is also
 * committed after a refusal.
 */
export async function withOrganisation<T, R extends string = never>(
  o: Pick<Administration, 'postgres'>,
  change: PermittedChange,
  work: (tx: Transaction, organisation: Organisation) => Promise<Outcome<T, R>>,
): Promise<Outcome<T, R | OrganisationRefusal>> {
  const { organisationId: id, deadline } = change;
  const perform = async (tx: Transaction): Promise<Outcome<T, R | OrganisationRefusal>> => {
    if (!(await lockOrganisation(tx, id))) return refused('organisation-unknown');
    const organisation = await existingOrganisation(tx, id);
    const isAllowed = change.permission === undefined || actorMay(organisation, change.by, change.permission);
    return isAllowed ? work(tx, organisation) : refused('not-allowed');
  };
  return semaphoreOf(o.postgres)(id, () => o.postgres.transaction(perform, deadline));
}

/** One semaphore per connection pool, shared by all changes of organisations. */
const semaphores = new WeakMap<Postgres, SubjectSemaphore>();

function semaphoreOf(postgres: Postgres): SubjectSemaphore {
  const known = semaphores.get(postgres) ?? subjectSemaphore('changes of an organisation');
  semaphores.set(postgres, known);
  return known;
}

/**
 * An invited person signs in for the first time: this proves that the address is theirs, and other services may now send mail to it. Call it
 * before the people of an address are locked. Every change of an organisation locks the organisation before its people, so deadlocks are
 * impossible. Returns a function that publishes the change; call it after the sign-in is stored.
 */
export async function beginJoining(tx: Transaction, personId: number): Promise<(at: Date) => Promise<void>> {
  const organisationId = await findAwaiting(tx, personId);
  if (organisationId === null) return async () => {};
  await lockOrganisation(tx, organisationId);
  return async (at) => void (await announceChange(tx, organisationId, at));
}

/** `work` changes the organisation or refuses. After a change, all facts of the organisation are published with the next version. */
export async function changeOrganisation<R extends string = never>(
  o: Pick<Administration, 'postgres' | 'clock'>,
  change: PermittedChange,
  work: (tx: Transaction, organisation: Organisation) => Promise<Outcome<'changed' | 'unchanged', R>>,
): Promise<Outcome<Organisation, R | OrganisationRefusal>> {
  return withOrganisation<Organisation, R>(o, change, async (tx, before) => {
    const outcome = await work(tx, before);
    if (!outcome.ok) return outcome;
    return done(outcome.value === 'unchanged' ? before : await announceChange(tx, before.id, o.clock.now()));
  });
}

async function announceChange(tx: Transaction, id: number, at: Date): Promise<Organisation> {
  await raiseVersion(tx, id);
  const changed = await existingOrganisation(tx, id);
  await announceOrganisation(tx, OrganisationChanged, changed, at);
  return changed;
}

export async function announceOrganisation(
  tx: Transaction,
  declaration: typeof OrganisationRegistered | typeof OrganisationChanged,
  organisation: Organisation,
  at: Date,
): Promise<void> {
  await publish(tx, declaration, {
    subject: `organisation/${organisation.id}`,
    subjectVersion: organisation.version,
    at,
    data: factsOf(organisation),
  });
}

export async function existingOrganisation(tx: Transaction, id: number): Promise<Organisation> {
  const organisation = await findOrganisation(tx, id);
  if (organisation === null) throw new Error(`organisation ${id} disappeared within the transaction`);
  return organisation;
}
