/** The relay of the outbox: batch after batch while events wait, one run at a time, and a last run at the stop. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres, PreparedStatement, Transaction } from '../postgres/postgres.ts';
import { type Loop, startLoop } from '../process/loops.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Broker } from './broker/broker.ts';
import type { OutgoingEvent } from './events.ts';
import { outboxWritten } from './outbox.ts';
import { startSentEventsPruning } from './sent-events.ts';

/** Most events of one transaction: as many are published again after a crash. */
export const BATCH_SIZE = 2_000;
/** Events that are read and published together. */
const STEP = 250;
/** A limit, so that counting takes only milliseconds, however long the broker has been down. */
const MAX_COUNTED = 10_000;
/**
 * The poll publishes events that no wake-up has published: of a process that died after its commit, of a time when the broker was down, or
 * of a time when another relay was running for longer than this.
 */
const POLL_EVERY_MS = 1_000;
/** Another relay may have read the outbox before the newest events were written. It takes about as long for a batch. */
const BUSY_MS = 20;
/** As often as metrics are scraped. */
const LOOK_EVERY_MS = 15_000;
/** A process has 30 s to stop. The backlog of a longer outage is left to other replicas or the next start. */
const LAST_RUN_MS = 3_000;

type Relaying = {
  readonly postgres: Postgres;
  readonly broker: Broker;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Publishes events soon after the commit of the transaction that has written them. */
export function startOutboxRelay(o: Relaying): Loop {
  const { postgres, broker } = o;
  const published = o.metrics.counter({
    name: 'outbox_published_total',
    help: 'Events published from the outbox',
  });
  const drain = async (mayContinue: () => boolean): Promise<void> => {
    const leftToPollMs = performance.now() + POLL_EVERY_MS;
    do {
      const left = await relayBatch(postgres, broker);
      if (left === 'busy') {
        if (performance.now() >= leftToPollMs) return;
        await pause(BUSY_MS);
      } else {
        published.inc(left);
        if (left < BATCH_SIZE) return;
      }
    } while (mayContinue());
  };
  const loop = startLoop({
    name: 'outbox-relay',
    everyMs: POLL_EVERY_MS,
    logger: o.logger,
    metrics: o.metrics,
    // While the broker is unreachable the events wait; the broker module reports the outage.
    work: async (signal) => {
      if (broker.connected()) await drain(() => !signal.aborted);
    },
  });
  const waitingWatch = watchWaiting(o);
  const pruning = startSentEventsPruning(o);
  const wake = () => void loop.runNow().catch(() => {});
  postgres.committed.on(outboxWritten, wake);

  return {
    runNow: loop.runNow,
    [Symbol.asyncDispose]: async () => {
      postgres.committed.off(outboxWritten, wake);
      await pruning[Symbol.asyncDispose]();
      await waitingWatch[Symbol.asyncDispose]();
      await loop[Symbol.asyncDispose]();
      // Events that were written just before the stop should not wait for the next start.
      const until = performance.now() + LAST_RUN_MS;
      await drain(() => performance.now() < until).catch((error: unknown) =>
        o.logger.warn({ error }, 'outbox not flushed, events wait'),
      );
    },
  };
}

/** Reports the waiting events. Every replica does, because the one that relays may be stuck. */
function watchWaiting(o: Relaying): Loop {
  const events = o.metrics.gauge({
    name: 'outbox_events',
    help: 'Events that wait to be published, also those that this release does not know; 10000 stands for that many or more',
  });
  let oldestSinceMs: number | undefined;
  const age = {
    name: 'outbox_oldest_event_age_seconds',
    help: 'For how long the oldest of these events has waited to be published; 0 when there is none',
  };
  o.metrics.readGauge(age, (gauge) =>
    gauge.set(oldestSinceMs === undefined ? 0 : (performance.now() - oldestSinceMs) / 1_000),
  );
  return startLoop({
    name: 'outbox-look',
    everyMs: LOOK_EVERY_MS,
    logger: o.logger,
    metrics: o.metrics,
    work: async () => {
      const waiting = await countWaiting(o.postgres);
      events.set(waiting.events);
      oldestSinceMs = waiting.oldestAgeMs === undefined ? undefined : performance.now() - waiting.oldestAgeMs;
    },
  });
}

/**
 * Takes the oldest events out of the outbox, publishes them and commits after the broker has confirmed all of them. If anything fails, they
 * stay in the outbox. While the broker confirms a step, the next one is read and published; never more than two are unconfirmed.
 * Published events are kept for a while (sent-events.ts). Returns the number of events that left the outbox; `busy` if another relay is
 * running.
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
      const confirmed = Promise.all([confirmedBefore, publish(step)]);
      // Awaited only after the next step was read.
      confirmed.catch(() => {});
      if (step.length < STEP || left >= BATCH_SIZE) {
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
  const taken = await tx.query<Taken>(takeStatement, [STEP, typesWithCredentials, types]);
  // DELETE ... RETURNING guarantees no order.
  return taken.toSorted((a, b) => (a.position < b.position ? -1 : 1)).map(({ event }) => event);
}

/**
 * Reads the oldest rows by the index of the primary key, so that a long outbox is not read as a whole. Those that this release does not know
 * count too, so that somebody hears of them.
 */
async function countWaiting(
  postgres: Postgres,
): Promise<{ events: number; oldestAgeMs: number | undefined }> {
  const [row] = await postgres.query<{ events: number; oldestAgeMs: number | null }>(
    `SELECT count(*)::integer AS events,
            extract(epoch FROM clock_timestamp() - min(written_at))::float8 * 1000 AS "oldestAgeMs"
     FROM (SELECT written_at FROM outbox ORDER BY position LIMIT $1) AS oldest`,
    [MAX_COUNTED],
  );
  return { events: row?.events ?? 0, oldestAgeMs: row?.oldestAgeMs ?? undefined };
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

/**
 * Takes the oldest events that this release knows. The others, which a newer release wrote before it was rolled back, wait for a release
 * that knows them and hold up none. Only the relay that has the lock deletes events, so those found are not locked before.
 */
const takeStatement: PreparedStatement = {
  name: 'take-from-outbox',
  sql: `WITH taken AS (
          DELETE FROM outbox WHERE ctid = ANY (ARRAY (
            SELECT ctid FROM outbox WHERE event ->> 'type' = ANY ($3) ORDER BY position LIMIT $1))
          RETURNING position, event),
        kept AS (
          INSERT INTO sent_events (position, event, happened_at)
          SELECT position, event, (event ->> 'time')::timestamptz FROM taken WHERE event ->> 'type' <> ALL ($2))
        SELECT position, event FROM taken`,
};
