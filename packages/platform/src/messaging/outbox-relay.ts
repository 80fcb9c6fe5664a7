/** When the outbox is relayed: batch after batch while there are any, once at a time, and a last time at the end. */

import { serviceUnavailable } from '../process/faults.ts';
import { type Loop, startLoop } from '../process/loops.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Broker } from './broker/broker.ts';

export type OutboxRelay = AsyncDisposable & {
  /** Publishes what waits, and rejects when it cannot. */
  readonly flush: () => Promise<void>;
};

export type WakeableRelay = OutboxRelay & {
  /** Publishes soon what was just written; what cannot be published is left to the poll. */
  readonly wake: () => void;
};

/** What waits to be published. */
export type Waiting = {
  /** No more than `MOST_COUNTED`. */
  readonly events: number;
  /** By the clock of the store; undefined when nothing waits. */
  readonly oldestAgeMs: number | undefined;
};

/** Most events that are published and confirmed together. */
export const RELAY_BATCH_SIZE = 500;
/** So a look costs some milliseconds, however long the broker has been away. */
export const MOST_COUNTED = 10_000;
/** About as long as a batch takes. */
const FIRST_RETRY_MS = 5;
/** As often as metrics are scraped. */
const LOOK_EVERY_MS = 15_000;
/** A backlog of an outage is others' to publish, or the next start's: whoever stops has 30 s for all that is left to do. */
const LAST_FLUSH_MS = 3_000;

export function startRelay(o: {
  /** Publishes the oldest events and forgets them; says how many, or that another relay is at work. */
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

  /** @returns whether another relay was at work, which may have looked before the last events were written */
  const drain = async (goesOn: () => boolean): Promise<boolean> => {
    let count: number | 'busy';
    do {
      count = await o.relayBatch();
      if (count === 'busy') return true;
      published.inc(count);
    } while (count === RELAY_BATCH_SIZE && goesOn());
    return false;
  };
  let wasBusy = false;
  const loop = startLoop({
    name: 'outbox-relay',
    everyMs: o.everyMs,
    logger: o.logger,
    metrics: o.metrics,
    // While the broker is away the events simply wait; the broker module is what reports the outage.
    work: async (signal) => {
      wasBusy = o.broker.connected() && (await drain(() => !signal.aborted));
    },
  });

  const looking = watchWaiting(o);
  let retry: NodeJS.Timeout | undefined;
  let retryAfterMs = FIRST_RETRY_MS;

  const wake = () => void loop.runNow().then(relayAgainIfBusy, () => {});
  function relayAgainIfBusy(): void {
    if (!wasBusy) retryAfterMs = FIRST_RETRY_MS;
    // A relay that takes as long as the poll is left to the poll.
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
      await looking[Symbol.asyncDispose]();
      await loop[Symbol.asyncDispose]();
      clearTimeout(retry);
      // What a stopping service has just written should not wait for its next start.
      const until = performance.now() + LAST_FLUSH_MS;
      await drain(() => performance.now() < until).catch((error: unknown) =>
        o.logger.warn({ error }, 'outbox not flushed, events wait'),
      );
    },
  };
}

/** Told by every replica alike: also by those that do not relay, should the one that does be stuck. */
function watchWaiting(o: { countWaiting: () => Promise<Waiting>; logger: Logger; metrics: Metrics }): Loop {
  const events = o.metrics.gauge({
    name: 'outbox_events',
    help: 'Events in the outbox that wait to be published; 10000 stands for that many or more',
  });
  let oldestSinceMs: number | undefined;
  const age = {
    name: 'outbox_oldest_event_age_seconds',
    help: 'For how long the oldest event in the outbox has waited to be published; 0 when there is none',
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
