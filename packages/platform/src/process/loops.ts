/** Repeats work: one run at a time. Errors do not end the loop; an error that comes again and again is logged once a minute, and its end once. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres } from '../postgres/postgres.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { inNoTrace } from '../telemetry/traces.ts';

export type Loop = AsyncDisposable & {
  /** Starts a run after the current one. Calls that come before it starts share it. Rejects when the run fails. */
  readonly runNow: () => Promise<void>;
};

const LOGGED_EVERY_MS = 60_000;

/** The first run starts at once. The pause begins at the end of a run, so runs never pile up. */
export function startLoop(o: {
  name: string;
  everyMs: number;
  /** The signal aborts when the loop is being stopped. */
  work: (signal: AbortSignal) => Promise<void>;
  logger: Logger;
  metrics: Metrics;
}): Loop {
  const stopping = new AbortController();
  const runs = o.metrics.counter({
    name: 'loop_runs_total',
    help: 'Runs of repeated work by outcome',
    labelNames: ['loop', 'outcome'],
    from0: { loop: [o.name], outcome: ['done', 'failed'] },
  });
  const succeeded = o.metrics.gauge({
    name: 'loop_last_success_timestamp_seconds',
    help: 'When a run of repeated work last succeeded; before the first success, when the loop started',
    labelNames: ['loop'],
  });
  o.metrics
    .gauge({
      name: 'loop_interval_seconds',
      help: 'Pause between two runs of repeated work',
      labelNames: ['loop'],
    })
    .set({ loop: o.name }, o.everyMs / 1_000);
  succeeded.set({ loop: o.name }, Date.now() / 1_000);
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: { readonly text: string; readonly loggedAtMs: number } | undefined;

  async function run(): Promise<void> {
    try {
      await inNoTrace(() => o.work(stopping.signal));
      runs.inc({ loop: o.name, outcome: 'done' });
      succeeded.set({ loop: o.name }, Date.now() / 1_000);
      if (failure !== undefined) o.logger.info({ loop: o.name }, 'repeated work succeeds again');
      failure = undefined;
    } catch (error) {
      runs.inc({ loop: o.name, outcome: 'failed' });
      const [text, nowMs] = [String(error), performance.now()];
      if (text !== failure?.text || nowMs - failure.loggedAtMs >= LOGGED_EVERY_MS) {
        o.logger.error({ error, loop: o.name }, 'repeated work failed and will be tried again');
        failure = { text, loggedAtMs: nowMs };
      }
      throw error;
    } finally {
      current = undefined;
    }
  }

  function runNow(): Promise<void> {
    if (stopping.signal.aborted) return Promise.reject(new Error(`loop ${o.name} has stopped`));
    if (current === undefined) {
      current = run();
      return current;
    }
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        return runNow();
      });
    return next;
  }

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runNow().catch(() => {});
      await pause(o.everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const repeating = repeat();

  return {
    runNow,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await repeating;
      await current?.catch(() => {});
    },
  };
}

/**
 * Runs the work in at most one replica at a time. Returns whether this replica ran it. The lock belongs to a transaction that changes
 * nothing, so it is released when the replica dies. Rejects after the work if that
 * transaction was lost meanwhile, because another replica may then have begun.
 */
export async function tryWithLeadership(
  postgres: Postgres,
  lockName: string,
  work: () => Promise<void>,
): Promise<boolean> {
  return postgres.transaction(async (tx) => {
    const [locked] = await tx.query<{ led: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS led',
      [lockName],
    );
    // It is idle for as long as the work runs. After a query the server would keep the query's snapshot, after this it keeps none.
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    if (locked?.led !== true) return false;
    await work();
    return true;
  });
}
