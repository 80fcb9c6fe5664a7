/** Consuming: decides which deliveries are handled when, how many at once, alone or in batches. */
import { attributeIn } from '@offer-ads/contracts/events/cloud-events';
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import type { SpanContext } from '@opentelemetry/api';
import type { Channel, ConsumeMessage } from 'amqplib';
import type { PauseBounds } from '../../process/growing-pauses.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { inSpan, traceIn } from '../../telemetry/traces.ts';
import { acknowledgeOn } from './acknowledging.ts';
import { type Batches, gatherBatches } from './batches.ts';
import { attemptsOf, type Delivery, finishBy } from './finishing.ts';
import { startHolding, type Tried } from './holding.ts';
import { readMessage, type Subscription } from './messages.ts';
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

/** A message with the trace of its cause. */
type Delivered = { readonly message: ConsumeMessage; readonly trace: SpanContext | null };

/** Messages that the broker sends ahead, so that handlers do not wait for the network. */
const PREFETCH = 250;
/** Handlers at work at once, beside the batches and the shared ones: together fewer than the database connections, so that requests always find one. */
const HANDLERS_AT_ONCE = { main: 5, bulk: 1 } as const;
/** This many fit into a transaction of some ten milliseconds. Twice as many are prefetched, so that the next batch fills meanwhile. */
const BATCH_AT_MOST = 500;
const PREFETCH_FOR_BATCHES = 2 * BATCH_AT_MOST;
/** With little traffic: at most twenty transactions a second, and no event waits for a noticeable time. */
const BATCH_LINGER_MS = 50;
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
  heldAtMostMs?: number | undefined;
  holdingPauses?: PauseBounds | undefined;
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
  const acknowledging = acknowledgeOn(channel);
  const { finish, finishTogether, putOff } = finishBy({ ...o, acknowledging, byType });
  const waiting: Delivered[] = [];
  const running = new Set<Promise<void>>();
  const sharing = new Set<Promise<void>>();
  const over = new AbortController();
  const holding = startHolding<Delivered>({
    ...o,
    signal: over.signal,
    tryAlone,
    takeAgain: take,
    putOff: (deliveries) => putOff(deliveries.map(({ message }) => message)),
    pauses: o.holdingPauses,
  });

  function handleAlone(delivery: Delivered): void {
    if (over.signal.aborted) return;
    if (isShared(delivery)) {
      const work = tryOrHold(delivery).finally(() => sharing.delete(work));
      sharing.add(work);
    } else {
      waiting.push(delivery);
      startWaiting();
    }
  }

  function isShared({ message }: Delivered): boolean {
    return byType.get(String(attributeIn(message.properties.headers, 'type')))?.isShared === true;
  }

  function startWaiting(): void {
    if (holding.isHolding()) for (const delivery of waiting.splice(0)) holding.keep(delivery);
    while (!over.signal.aborted && running.size < HANDLERS_AT_ONCE[o.kind]) {
      const delivery = waiting.shift();
      if (delivery === undefined) return;
      const work = tryOrHold(delivery).finally(() => {
        running.delete(work);
        startWaiting();
      });
      running.add(work);
    }
  }

  async function tryOrHold(delivery: Delivered): Promise<void> {
    if ((await tryAlone(delivery)) === 'unavailable') holding.failed([delivery]);
  }

  async function tryAlone(delivery: Delivered): Promise<Tried> {
    const { message, trace: parent } = delivery;
    const tried = await inSpan({ name: `${o.service} process`, kind: 'CONSUMER', parent }, () =>
      finish(message, holding.watchTry(delivery)),
    );
    if (tried === 'answered') holding.answered();
    return tried;
  }

  const batches = new Map<Subscription, Batches<Delivery>>();
  for (const subscription of o.subscriptions) {
    const { declaration, handleTogether } = subscription;
    if (handleTogether === undefined) continue;
    const work = async (deliveries: readonly Delivery[]) => {
      if (holding.isHolding()) return deliveries.forEach(holding.keep);
      const outcome = await finishTogether(deliveries, { declaration, handleTogether });
      if (outcome === 'handled') holding.answered();
      // If the store answers other events, the batch may be too large for it: then its events are handled one by one.
      else if (outcome === 'unavailable' && !deliveries.some(holding.isSuspect)) holding.failed(deliveries);
      // One of them may always fail. Handled alone, it does not make the others fail.
      else deliveries.forEach(handleAlone);
    };
    const batch = gatherBatches({ atMost: BATCH_AT_MOST, lingerMs: BATCH_LINGER_MS, work });
    batches.set(subscription, batch);
  }

  function take(delivery: Delivered): void {
    if (holding.isHolding()) return holding.keep(delivery);
    const { message } = delivery;
    const read = batches.size === 0 ? undefined : readMessage(message, byType);
    const batch = read?.ok === true ? batches.get(read.subscription) : undefined;
    // An event that failed before is handled alone, or each of its retries would make a batch fail.
    if (read?.ok !== true || batch === undefined || attemptsOf(message) > 0) handleAlone(delivery);
    // Keep the same object: holding.ts identifies deliveries by it.
    else batch.add(Object.assign(delivery, { event: read.event }));
  }

  // Deliveries of a closed channel are delivered again on the next one.
  channel.on('close', () => {
    over.abort();
    waiting.length = 0;
    for (const batch of batches.values()) batch.forget();
  });
  await channel.prefetch(batches.size === 0 ? PREFETCH : PREFETCH_FOR_BATCHES);
  const { consumerTag } = await channel.consume(o.names.queue(o.service, o.kind), (message) => {
    if (message === null) o.onCancelled();
    else {
      acknowledging.delivered(message);
      take({ message, trace: traceIn(message.properties.headers ?? {}) });
    }
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
      await Promise.all([...running, ...sharing, ...batchesAtWork, holding.stopped()]);
      channel.nackAll(true);
    },
    inHand: () => {
      // Deliveries of a closed channel belong to another consumer now.
      if (over.signal.aborted) return { count: 0, oldestAgeMs: 0 };
      const { count, first } = acknowledging.inHand();
      return { count, oldestAgeMs: first === undefined ? 0 : ageMs(first) };
    },
  };
}

/** Age of the event, by the clock of its publisher. */
function ageMs(message: ConsumeMessage): number {
  const time: unknown = attributeIn(message.properties.headers, 'time');
  const sinceMs = typeof time === 'string' ? Date.now() - Date.parse(time) : 0;
  return Number.isNaN(sinceMs) ? 0 : Math.max(0, sinceMs);
}
