/** Consuming: decides which deliveries are handled when, how many at once, alone or in batches. */
import { attributeIn } from '@offer-ads/contracts/events/cloud-events';
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import type { Channel, ConsumeMessage } from 'amqplib';
import { growingPauses, type PauseBounds } from '../../process/growing-pauses.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { inSpan, traceIn } from '../../telemetry/traces.ts';
import { type Batches, gatherBatches } from './batches.ts';
import { type Delivery, finishBy, hasFailed, type Outcome } from './finishing.ts';
import { type BatchHandler, readMessage, type Subscription } from './messages.ts';
import { type Publish, within } from './publishing.ts';
import type { BrokerNames, BrokerUser, QueueKind } from './topology.ts';
import type { Withhold } from './withholding.ts';

export type Consuming = {
  /** Takes no more deliveries, waits for the handlers at work and gives back the rest. Then the connection may be closed. */
  readonly stop: () => Promise<void>;
  readonly inHand: () => InHand;
};

/** What this replica was given and has not finished. It is the head of the queue, so its oldest is about the queue's oldest. */
export type InHand = { readonly count: number; readonly oldestAgeMs: number };

type Delivered = {
  readonly message: ConsumeMessage;
  readonly sinceMs: number;
  /** How often a batch with it has failed because of a store, at first perhaps because the store was away. */
  failedBatches?: number;
};

/** Messages that the broker sends ahead, so that handlers do not wait for the network. */
const PREFETCH = 250;
/** Handlers at work at once, beside the batches: together fewer than the database connections, so that requests always find one. */
const HANDLERS_AT_ONCE = { main: 5, bulk: 1 } as const;
/** Twice the size of the largest batch, so that the next one fills meanwhile. */
const PREFETCH_FOR_BATCHES = 1_000;
/** With little traffic: at most twenty transactions a second, and no event waits for a noticeable time. */
const BATCH_LINGER_MS = 50;
/**
 * After so many failures of its batch an event is handled alone: the batch may be too large for the store. After an error that is not about
 * the store it is so at once: one of them may always fail, and must not make the others fail.
 */
const ALONE_AFTER = 2;
/** A third of the time after which RabbitMQ closes a channel on which a delivery is not acknowledged. */
const WAITS_AT_MOST_MS = 600_000;
/** A silent broker is detected only by missed heartbeats, which takes most of the time that a process has to stop. So wait less. */
const CANCEL_TIMEOUT_MS = 2_000;

export async function startConsuming(o: {
  channel: Channel;
  publish: Publish;
  service: BrokerUser;
  names: BrokerNames;
  kind: QueueKind;
  subscriptions: readonly Subscription[];
  retryDelaysMs: readonly number[];
  waitsAtMostMs?: number | undefined;
  storePauses?: PauseBounds | undefined;
  withhold: Withhold;
  /** The broker ended the subscription, for example because somebody deleted the queue. */
  onCancelled: () => void;
  logger: Logger;
  metrics: Metrics;
}): Promise<Consuming> {
  const { channel } = o;
  const byType = new Map(
    o.subscriptions.map((subscription) => [eventType(subscription.declaration), subscription]),
  );
  /** Oldest first. */
  const inHand = new Set<ConsumeMessage>();
  const { finish, finishTogether, putOff } = finishBy({ ...o, inHand, byType });
  const waiting: Delivered[] = [];
  const running = new Set<Promise<void>>();
  const over = new AbortController();
  const pauses = growingPauses(over.signal, o.storePauses);
  /** From when a store has not answered until an event is handled. Then one event after the other is tried, with pauses between them. */
  let isStoreAway = false;
  let isPausing = false;
  let answers = 0;
  const storeIsAway = o.metrics.gauge({
    name: 'events_wait_for_store',
    help: '1 from when a store did not answer for an event until one is handled',
    labelNames: ['queue'],
  });
  storeIsAway.set({ queue: o.kind }, 0);

  function startWaiting(): void {
    if (isPausing) return;
    const atOnce = isStoreAway ? 1 : HANDLERS_AT_ONCE[o.kind];
    while (!over.signal.aborted && running.size < atOnce) {
      const delivery = waiting.shift();
      if (delivery === undefined) return;
      start(delivery);
    }
  }

  function start(delivery: Delivered): void {
    const work = handleAlone(delivery).finally(() => {
      running.delete(work);
      startWaiting();
    });
    running.add(work);
  }

  async function handleAlone({ message }: Delivered): Promise<void> {
    const parent = traceIn(message.properties.headers ?? {});
    const outcome = await inSpan({ name: `${o.service} process`, kind: 'CONSUMER', parent }, () =>
      finish(message, () => answers),
    );
    note(outcome);
  }

  function note(outcome: Outcome): void {
    if (outcome === 'unavailable') void pauseForStore();
    if (outcome !== 'handled') return;
    answers += 1;
    if (!isStoreAway) return;
    isStoreAway = false;
    pauses.startAnew();
    storeIsAway.set({ queue: o.kind }, 0);
    o.logger.info('the store answers again');
    for (const delivery of waiting.splice(0)) take(delivery);
  }

  async function pauseForStore(): Promise<void> {
    isStoreAway = true;
    storeIsAway.set({ queue: o.kind }, 1);
    if (isPausing) return;
    isPausing = true;
    await pauses.wait();
    isPausing = false;
    if (over.signal.aborted) return;
    const before = performance.now() - (o.waitsAtMostMs ?? WAITS_AT_MOST_MS);
    const all = waiting.splice(0);
    const long = all.filter(({ sinceMs }) => sinceMs < before);
    waiting.push(...all.filter(({ sinceMs }) => sinceMs >= before));
    if (long.length > 0) await putOff(long.map(({ message }) => message));
    startWaiting();
  }

  const batches = new Map<BatchHandler, Batches<Delivered & Delivery>>();
  for (const { inBatches } of o.subscriptions) {
    if (inBatches === undefined || batches.has(inBatches)) continue;
    const work = async (deliveries: readonly (Delivered & Delivery)[]) => {
      if (!isStoreAway) {
        const outcome = await finishTogether(deliveries, inBatches);
        const failures = outcome === 'other' ? ALONE_AFTER : 1;
        if (outcome !== 'handled')
          for (const delivery of deliveries)
            delivery.failedBatches = (delivery.failedBatches ?? 0) + failures;
        note(outcome);
        if (outcome === 'handled') return;
      }
      for (const delivery of deliveries) take(delivery);
    };
    batches.set(inBatches, gatherBatches({ atMost: inBatches.atMost, lingerMs: BATCH_LINGER_MS, work }));
  }

  function take(delivery: Delivered): void {
    if (over.signal.aborted) return;
    const { message, failedBatches = 0 } = delivery;
    const read = isStoreAway || batches.size === 0 ? undefined : readMessage(message, byType);
    const { inBatches } = read?.ok === true ? read.subscription : {};
    const batch = inBatches && batches.get(inBatches);
    if (read?.ok === true && batch !== undefined && failedBatches < ALONE_AFTER && !hasFailed(message))
      return batch.add(Object.assign(delivery, { event: read.event }));
    waiting.push(delivery);
    startWaiting();
  }

  // Deliveries of a closed channel are delivered again on the next one.
  channel.on('close', () => {
    over.abort();
    waiting.length = 0;
    for (const batch of batches.values()) batch.forget();
  });
  await channel.prefetch(batches.size === 0 ? PREFETCH : PREFETCH_FOR_BATCHES);
  const { consumerTag } = await channel.consume(o.names.queue(o.service, o.kind), (message) => {
    if (message === null) return o.onCancelled();
    inHand.add(message);
    take({ message, sinceMs: performance.now() });
  });

  return {
    stop: async () => {
      // Closing with deliveries in flight breaks the connection, hence this order.
      over.abort();
      // Before the broker is told, or another batch could start meanwhile.
      const batchesAtWork = [...batches.values()].map((batch) => batch.stop());
      const told = within(
        CANCEL_TIMEOUT_MS,
        channel.cancel(consumerTag),
        'the end of consuming not confirmed',
      );
      // Wait for the handlers in both cases: they need the stores, which are closed next.
      await told.catch((error: unknown) =>
        o.logger.warn({ error }, 'further deliveries will be delivered again'),
      );
      await Promise.all([...running, ...batchesAtWork]);
      channel.nackAll(true);
    },
    inHand: () => {
      // Deliveries of a closed channel belong to another consumer now.
      if (over.signal.aborted) return { count: 0, oldestAgeMs: 0 };
      const [first] = inHand;
      return { count: inHand.size, oldestAgeMs: first === undefined ? 0 : ageMs(first) };
    },
  };
}

/** Age of the event, by the clock of its publisher. */
function ageMs(message: ConsumeMessage): number {
  const time: unknown = attributeIn(message.properties.headers, 'time');
  const sinceMs = typeof time === 'string' ? Date.now() - Date.parse(time) : 0;
  return Number.isNaN(sinceMs) ? 0 : Math.max(0, sinceMs);
}
