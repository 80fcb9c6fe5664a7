/**
 * The outbox: an event is written in the same transaction as the change that it reports. A relay publishes events in the order in which
 * they were written, each at least once (architecture, rule 3).
 */

import type { Postgres, PreparedStatement, Queryable, Transaction } from '../postgres/postgres.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Broker } from './broker/broker.ts';
import type { OutgoingEvent } from './events.ts';
import { MAX_COUNTED, type OutboxRelay, RELAY_BATCH_SIZE, startRelay, type Waiting } from './outbox-relay.ts';
import { startSentEventsPruning } from './sent-events.ts';

/** Events that are read and published together. */
const RELAY_STEP = 250;

/** What `postgres.committed` emits in this process after the commit of a transaction that wrote to the outbox. */
export const outboxWritten = 'outbox-written';

export async function addToOutbox(tx: Transaction, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(addStatement, [JSON.stringify(events)]);
  tellOutbox(tx);
}

/**
 * The rows for `INSERT INTO outbox (event)` in a statement that also makes the change. Events are published in the order of the list. Call
 * `tellOutbox` after it.
 * @param parameter the events as a JSON array, such as `$1`
 * @param only a query of the same statement that has one row if the change was made, and none if it was not
 */
export function eventsOf(parameter: string, only?: string): string {
  const from = only === undefined ? '' : `${only}, `;
  return `SELECT event FROM ${from}json_array_elements(${parameter}::json) WITH ORDINALITY AS listed (event, place)
          ORDER BY place`;
}

const addStatement: PreparedStatement = {
  name: 'add-to-outbox',
  sql: `INSERT INTO outbox (event) ${eventsOf('$1')}`,
};

/** Wakes the relay of this process after the commit. */
export function tellOutbox(tx: Queryable): void {
  tx.tellAfterCommit?.(outboxWritten);
}

/**
 * The poll publishes events that no wake-up has published: of a process that died after its commit, of a time when the broker was down, or
 * of a time when another relay was running for longer than this interval.
 */
const POLL_EVERY_MS = 1_000;

export function startOutboxRelay(o: {
  postgres: Postgres;
  broker: Broker;
  logger: Logger;
  metrics: Metrics;
}): OutboxRelay {
  const { postgres } = o;
  const relay = startRelay({
    ...o,
    everyMs: POLL_EVERY_MS,
    relayBatch: () => relayBatch(postgres, o.broker),
    countWaiting: async () => {
      await putBackKnown(postgres, o.broker);
      return countWaiting(postgres);
    },
  });
  postgres.committed.on(outboxWritten, relay.wake);
  const pruning = startSentEventsPruning(o);
  return {
    flush: relay.flush,
    [Symbol.asyncDispose]: async () => {
      postgres.committed.off(outboxWritten, relay.wake);
      await pruning[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
    },
  };
}

/**
 * Takes the oldest events out of the outbox, publishes them and commits after the broker has confirmed all of them. If anything fails, they
 * stay in the outbox. While the broker confirms a step, the next one is read and published; never more than two are unconfirmed.
 * Published events are kept for a while (sent-events.ts), those that this release does not know until one does. Returns the number
 * of events that left the outbox, or `busy` if another relay is running.
 * The transaction is open while it publishes, on purpose (docs/adr/0003-outbox-relay-publishes-inside-its-transaction.md).
 */
async function relayBatch(postgres: Postgres, broker: Broker): Promise<number | 'busy'> {
  return postgres.transaction(async (tx) => {
    const [lock] = await tx.query<Lock>(lockStatement);
    if (lock?.isRelaying !== true) return 'busy';
    const first = await take(tx, broker);
    if (first.length === 0) return 0;
    const publish = broker.publisher();
    let step = first;
    let left = 0;
    let confirmedBefore: Promise<unknown> = Promise.resolve();
    for (;;) {
      left += step.length;
      const known = step.filter(({ type }) => broker.types.includes(type));
      const confirmed = Promise.all([confirmedBefore, publish(known)]);
      // Awaited only after the next step was read.
      confirmed.catch(() => {});
      if (step.length < RELAY_STEP || left >= RELAY_BATCH_SIZE) {
        await confirmed;
        return left;
      }
      step = await take(tx, broker);
      await confirmedBefore;
      confirmedBefore = confirmed;
    }
  });
}

/** In the order in which they were written. Events with credentials, such as sign-in links, are not kept after they were sent. */
async function take(tx: Transaction, { types, typesWithCredentials }: Broker): Promise<OutgoingEvent[]> {
  const taken = await tx.query<Taken>(takeStatement, [RELAY_STEP, typesWithCredentials, types]);
  // DELETE ... RETURNING guarantees no order.
  return taken.toSorted((a, b) => (a.position < b.position ? -1 : 1)).map(({ event }) => event);
}

/** In the order in which they were written; after the events that wait now, also after later ones of the same subject. */
async function putBackKnown(postgres: Postgres, broker: Broker): Promise<void> {
  await postgres.query(
    `WITH known AS (
       DELETE FROM unknown_events WHERE position IN (
         SELECT position FROM unknown_events WHERE event ->> 'type' = ANY ($1) ORDER BY position LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING position, event, written_at)
     INSERT INTO outbox (event, written_at) SELECT event, written_at FROM known ORDER BY position`,
    [broker.types, MAX_COUNTED],
  );
}

/**
 * Reads the oldest rows by the index of the primary key, so that a long outbox is not read as a whole. Those that this release does not know
 * wait too, so that somebody hears of them.
 */
async function countWaiting(postgres: Postgres): Promise<Waiting> {
  const [row] = await postgres.query<{ events: number; oldestAgeMs: number | null }>(
    `SELECT count(*)::integer AS events,
            extract(epoch FROM clock_timestamp() - min(written_at))::float8 * 1000 AS "oldestAgeMs"
     FROM ((SELECT written_at FROM outbox ORDER BY position LIMIT $1)
           UNION ALL (SELECT written_at FROM unknown_events ORDER BY position LIMIT $1)) AS oldest`,
    [MAX_COUNTED],
  );
  return { events: Math.min(row?.events ?? 0, MAX_COUNTED), oldestAgeMs: row?.oldestAgeMs ?? undefined };
}

type Lock = { readonly isRelaying: boolean };
type Taken = { readonly position: bigint; readonly event: OutgoingEvent };

/**
 * The advisory lock, held to the end of the transaction, lets only one relay of the service publish at a time: two could reorder the events
 * of one subject. It is taken before the statement that takes events, so that this one sees what the relay before has deleted.
 * The commit does not wait for the disk: events that a crash of the database brings back are published again, under the same ids.
 */
const lockStatement: PreparedStatement = {
  name: 'lock-outbox',
  sql: `SELECT pg_try_advisory_xact_lock(hashtextextended('outbox-relay', 0)) AS "isRelaying",
               set_config('synchronous_commit', 'off', true)`,
};

/** Takes the oldest events. Only the relay that has the lock deletes events, so those found are not locked before. */
const takeStatement: PreparedStatement = {
  name: 'take-from-outbox',
  sql: `WITH taken AS (
          DELETE FROM outbox WHERE ctid = ANY (ARRAY (
            SELECT ctid FROM outbox ORDER BY position LIMIT $1))
          RETURNING position, event, written_at),
        -- Each of these reads the whole event, so it is done once.
        read AS MATERIALIZED (
          SELECT position, event, written_at, event ->> 'type' AS type, event ->> 'time' AS time FROM taken),
        set_aside AS (
          INSERT INTO unknown_events SELECT position, event, written_at FROM read WHERE (type = ANY ($3)) IS NOT TRUE),
        kept AS (
          INSERT INTO sent_events (position, event, happened_at)
          SELECT position, event, time::timestamptz FROM read WHERE type = ANY ($3) AND type <> ALL ($2))
        SELECT position, event FROM read`,
};
