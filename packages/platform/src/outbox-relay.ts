/** What the relays of both stores share: batch after batch while there are any, once at a time, and a last time at the end. */
import type { Broker } from './broker.ts';
import { serviceUnavailable } from './faults.ts';
import type { Logger } from './logging.ts';
import { startLoop } from './loops.ts';
import type { Metrics } from './metrics.ts';

export type OutboxRelay = AsyncDisposable & {
  /** Publishes what waits, and rejects when it cannot. */
  readonly flush: () => Promise<void>;
};

/** Most events that are published and confirmed together. */
export const RELAY_BATCH_SIZE = 500;

export function startRelay(o: {
  /** Publishes the oldest events and forgets them; says how many, 0 when another relay is at it. */
  relayBatch: () => Promise<number>;
  everyMs: number;
  broker: Broker;
  logger: Logger;
  metrics: Metrics;
}): OutboxRelay {
  const published = o.metrics.counter({
    name: 'outbox_published_total',
    help: 'Events published from the outbox',
  });

  const drain = async () => {
    let count: number;
    do {
      count = await o.relayBatch();
      published.inc(count);
    } while (count === RELAY_BATCH_SIZE);
  };
  const loop = startLoop({
    name: 'outbox-relay',
    everyMs: o.everyMs,
    logger: o.logger,
    metrics: o.metrics,
    // While the broker is away the events simply wait; the broker module is what reports the outage.
    work: async () => {
      if (o.broker.connected()) await drain();
    },
  });

  return {
    flush: async () => {
      if (!o.broker.connected()) throw serviceUnavailable('outbox: the broker is away');
      await loop.runNow();
    },
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]();
      // What a stopping service has just written should not wait for its next start.
      await drain().catch((error: unknown) => o.logger.warn({ error }, 'outbox not flushed, events wait'));
    },
  };
}
