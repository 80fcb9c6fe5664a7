/** Consuming: bounded handling, retries after a delay, and parking of what cannot be handled. */
import { AsyncResource } from 'node:async_hooks';
import { eventType } from '@offer-ads/contracts/event-declaration';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type ReadMessage, readMessage, type Subscription } from './broker-messages.ts';
import { attemptsHeader, forward, toParked } from './broker-parking.ts';
import type { Publish } from './broker-publishing.ts';
import type { BrokerNames, BrokerUser } from './broker-topology.ts';
import type { Withhold } from './broker-withholding.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

export type Consuming = {
  /** Takes no more, waits for what is in flight and gives back the rest; after that the connection may be closed. */
  readonly stop: () => Promise<void>;
};

/** Messages that the broker sends ahead, so that handlers never wait for the network. */
const PREFETCH = 250;
/** Handlers at work at once: below the number of database connections, so that they never starve requests. */
const HANDLERS_AT_ONCE = 5;

type Outcome = 'handled' | 'retried' | 'parked';

export async function startConsuming(o: {
  channel: Channel;
  publish: Publish;
  service: BrokerUser;
  names: BrokerNames;
  subscriptions: readonly Subscription[];
  retryDelaysMs: readonly number[];
  withhold: Withhold;
  /** The broker ended the subscription, for example because somebody deleted the queue. */
  onCancelled: () => void;
  logger: Logger;
  metrics: Metrics;
}): Promise<Consuming> {
  const { channel, names, service } = o;
  const byType = new Map(
    o.subscriptions.map((subscription) => [eventType(subscription.declaration), subscription]),
  );
  const handled = o.metrics.histogram({
    name: 'events_handled_seconds',
    help: 'Time to handle an event, by type and outcome',
    labelNames: ['type', 'outcome'],
  });
  const waiting: (() => Promise<void>)[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  /**
   * The one rule: what cannot be read is parked at once, because it never can be; whatever a handler throws may pass,
   * so it is tried again after each delay and then parked.
   */
  async function handle(message: ConsumeMessage, read: ReadMessage): Promise<Outcome> {
    if (!read.ok) return park(message, read.reason, attemptsOf(message));
    try {
      await read.subscription.handle(read.event);
      return 'handled';
    } catch (error) {
      return retry(message, error);
    }
  }

  async function retry(message: ConsumeMessage, error: unknown): Promise<Outcome> {
    const attempts = attemptsOf(message) + 1;
    const reason = error instanceof Error ? error.message : String(error);
    const delayMs = o.retryDelaysMs[attempts - 1];
    if (delayMs === undefined) return park(message, reason, attempts);
    o.logger.warn(
      { error, attempts, delayMs, eventId: idOf(message) },
      'event not handled, will be tried again',
    );
    await o.publish([forward(message, names.retry(service, delayMs), { [attemptsHeader]: attempts })]);
    return 'retried';
  }

  async function park(message: ConsumeMessage, reason: string, attempts: number): Promise<Outcome> {
    o.logger.error({ reason, attempts, eventId: idOf(message) }, 'event parked');
    const queue = names.parked(service);
    await o.publish([toParked(message, { queue, reason, attempts, withhold: o.withhold })]);
    return 'parked';
  }

  async function settle(message: ConsumeMessage): Promise<void> {
    const read = readMessage(message, byType);
    const done = handled.startTimer({ type: read.ok ? read.subscription.declaration.name : 'unreadable' });
    try {
      done({ outcome: await handle(message, read) });
      channel.ack(message);
    } catch (error) {
      // Neither retried nor parked nor acknowledged: the broker delivers it again, now or after the reconnection.
      o.logger.warn({ error, eventId: idOf(message) }, 'event given back to the broker');
      giveBack(channel, message);
    }
  }

  function startWaiting(): void {
    while (!stopping.signal.aborted && running.size < HANDLERS_AT_ONCE) {
      const start = waiting.shift();
      if (start === undefined) return;
      const work = start().finally(() => {
        running.delete(work);
        startWaiting();
      });
      running.add(work);
    }
  }

  // Deliveries of a lost channel come again on the next one.
  channel.on('close', () => {
    waiting.length = 0;
  });
  await channel.prefetch(PREFETCH);
  const { consumerTag } = await channel.consume(names.queue(service), (message) => {
    if (message === null) return o.onCancelled();
    // Bound to the delivery's trace: it may start when another delivery ends.
    waiting.push(AsyncResource.bind(() => settle(message)));
    startWaiting();
  });

  return {
    stop: async () => {
      // Closing with deliveries in flight breaks the connection, hence this order.
      stopping.abort();
      await channel.cancel(consumerTag);
      await Promise.all(running);
      channel.nackAll(true);
    },
  };
}

function attemptsOf(message: ConsumeMessage): number {
  const attempts: unknown = message.properties.headers?.[attemptsHeader];
  return typeof attempts === 'number' ? attempts : 0;
}

function idOf(message: ConsumeMessage): unknown {
  return message.properties.messageId;
}

function giveBack(channel: Channel, message: ConsumeMessage): void {
  try {
    channel.nack(message);
  } catch {
    // The channel is gone, and with it every delivery that was not acknowledged.
  }
}
