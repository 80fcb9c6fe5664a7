/** Changes organisations, one change at a time, and publishes each change in the transaction that makes it. */
import { OrganisationChanged, type OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { factsOf, type Organisation } from '../domain/accounts/organisation.ts';
import type { Actor } from '../domain/accounts/people.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import { type SubjectSemaphore, subjectSemaphore } from '../subject-semaphore.ts';
import { findOrganisation, lockOrganisation, raiseVersion } from './organisations-store.ts';

/** The dependencies of the use cases for organisations. */
export type Administration = {
  readonly postgres: Postgres;
  readonly clock: Clock;
};

/** Who changes which organisation. Nothing is committed after the deadline (docs/adr/0020). */
export type Change = { readonly organisationId: number; readonly by: Actor; readonly deadline: Deadline };

/**
 * Locks the organisation and calls `work` with its current state. `work` refuses before it writes, because the transaction is also
 * committed after a refusal.
 */
export async function withOrganisation<T, R extends string>(
  o: Pick<Administration, 'postgres'>,
  { organisationId: id, deadline }: Omit<Change, 'by'>,
  work: (tx: Transaction, organisation: Organisation) => Promise<Outcome<T, R>>,
): Promise<Outcome<T, R | 'organisation-unknown'>> {
  return semaphoreOf(o.postgres)(id, () =>
    o.postgres.transaction(
      async (tx) =>
        (await lockOrganisation(tx, id))
          ? work(tx, await existingOrganisation(tx, id))
          : refused('organisation-unknown'),
      deadline,
    ),
  );
}

/** One semaphore per connection pool, shared by all changes of organisations. */
const semaphores = new WeakMap<Postgres, SubjectSemaphore>();

function semaphoreOf(postgres: Postgres): SubjectSemaphore {
  const known = semaphores.get(postgres) ?? subjectSemaphore('changes of an organisation');
  semaphores.set(postgres, known);
  return known;
}

/** `work` changes the organisation or refuses. After a change, all facts of the organisation are published with the next version. */
export async function changeOrganisation<R extends string>(
  o: Pick<Administration, 'postgres' | 'clock'>,
  change: Omit<Change, 'by'>,
  work: (tx: Transaction, organisation: Organisation) => Promise<Outcome<'changed' | 'unchanged', R>>,
): Promise<Outcome<Organisation, R | 'organisation-unknown'>> {
  return withOrganisation<Organisation, R>(o, change, async (tx, before) => {
    const outcome = await work(tx, before);
    if (!outcome.ok) return outcome;
    if (outcome.value === 'unchanged') return done(before);
    await raiseVersion(tx, before.id);
    const after = await existingOrganisation(tx, before.id);
    await announceOrganisation(tx, OrganisationChanged, after, o.clock.now());
    return done(after);
  });
}

export async function announceOrganisation(
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

export async function existingOrganisation(tx: Transaction, id: number): Promise<Organisation> {
  const organisation = await findOrganisation(tx, id);
  if (organisation === null) throw new Error(`organisation ${id} disappeared within the transaction`);
  return organisation;
}
