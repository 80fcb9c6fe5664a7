/** Schedules the outbox relay: batch after batch while events wait, one run at a time, and a last run at the stop. */

import { serviceUnavailable } from '../process/faults.ts';
import { type Loop, startLoop } from '../process/loops.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Broker } from './broker/broker.ts';

export type OutboxRelay = AsyncDisposable & {
  /** Publishes the waiting events; rejects when that fails. If another relay is publishing them, it resolves without waiting for it. */
  readonly flush: () => Promise<void>;
};

export type WakeableRelay = OutboxRelay & {
  /** Publishes newly written events soon. After a failure the next poll publishes them. */
  readonly wake: () => void;
};

/** The events that wait to be published. */
export type Waiting = {
  /** At most `MAX_COUNTED`. */
  readonly events: number;
  /** By the clock of the store; undefined when nothing waits. */
  readonly oldestAgeMs: number | undefined;
};

/** Most events of one transaction: as many are published again after a crash. */
export const RELAY_BATCH_SIZE = 2_000;
/** A limit, so that counting takes only milliseconds, however long the broker has been down. */
export const MAX_COUNTED = 10_000;
/** About as long as a batch takes. */
const FIRST_RETRY_MS = 5;
/** As often as metrics are scraped. */
const LOOK_EVERY_MS = 15_000;
/** A process has 30 s to stop. The backlog of a longer outage is left to other replicas or the next start. */
const LAST_FLUSH_MS = 3_000;

export function startRelay(o: {
  /** Publishes the oldest events and deletes them. Returns how many left the outbox, or `busy` when another relay is running. */
  relayBatch: () => Promise<number | 'busy'>;
  countWaiting: () => Promise<Waiting>;
  everyMs: number;
  broker: Broker;
  logger: Logger;
  metrics: Metrics;
}): WakeableRelay {
  const published = o.metrics.counter({
    name: 'outbox_published_total',
    help: 'Events published from the outbox',
  });

  /** @returns whether another relay was running. That one may miss the newest events, if it read the outbox before they were written */
  const drain = async (mayContinue: () => boolean): Promise<boolean> => {
    let count: number | 'busy';
    do {
      count = await o.relayBatch();
      if (count === 'busy') return true;
      published.inc(count);
    } while (count === RELAY_BATCH_SIZE && mayContinue());
    return false;
  };
  let wasBusy = false;
  const loop = startLoop({
    name: 'outbox-relay',
    everyMs: o.everyMs,
    logger: o.logger,
    metrics: o.metrics,
    // While the broker is unreachable the events wait; the broker module reports the outage.
    work: async (signal) => {
      wasBusy = o.broker.connected() && (await drain(() => !signal.aborted));
    },
  });

  const waitingWatch = watchWaiting(o);
  let retry: NodeJS.Timeout | undefined;
  let retryAfterMs = FIRST_RETRY_MS;

  const wake = () => void loop.runNow().then(relayAgainIfBusy, () => {});
  function relayAgainIfBusy(): void {
    if (!wasBusy) retryAfterMs = FIRST_RETRY_MS;
    // If the other relay takes as long as the poll interval, wait for the poll.
    if (!wasBusy || retry !== undefined || retryAfterMs >= o.everyMs) return;
    retry = setTimeout(() => {
      retry = undefined;
      wake();
    }, retryAfterMs);
    retryAfterMs *= 2;
  }

  return {
    wake,
    flush: async () => {
      if (!o.broker.connected()) throw serviceUnavailable('outbox: the broker is away');
      await loop.runNow();
    },
    [Symbol.asyncDispose]: async () => {
      await waitingWatch[Symbol.asyncDispose]();
      await loop[Symbol.asyncDispose]();
      clearTimeout(retry);
      // Events that were written just before the stop should not wait for the next start.
      const until = performance.now() + LAST_FLUSH_MS;
      await drain(() => performance.now() < until).catch((error: unknown) =>
        o.logger.warn({ error }, 'outbox not flushed, events wait'),
      );
    },
  };
}

/** Reports the waiting events. Every replica does, because the one that relays may be stuck. */
function watchWaiting(o: { countWaiting: () => Promise<Waiting>; logger: Logger; metrics: Metrics }): Loop {
  const events = o.metrics.gauge({
    name: 'outbox_events',
    help: 'Events that wait to be published, in the outbox or set aside because this release does not know them; 10000 stands for that many or more',
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
      const waiting = await o.countWaiting();
      events.set(waiting.events);
      oldestSinceMs = waiting.oldestAgeMs === undefined ? undefined : performance.now() - waiting.oldestAgeMs;
    },
  });
}
