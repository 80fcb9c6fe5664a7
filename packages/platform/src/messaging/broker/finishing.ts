/** Finishes a delivery: it is handled, tried again after a delay, parked, or given back to the broker. */
import type { Channel, ConsumeMessage } from 'amqplib';
import { isServiceUnavailable } from '../../process/faults.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { inSpan } from '../../telemetry/traces.ts';
import type { ReceivedEvent } from '../events.ts';
import { type BatchHandler, readMessage, type Subscription } from './messages.ts';
import { attemptsHeader, copyTo, toParked } from './parking.ts';
import type { Publish } from './publishing.ts';
import type { BrokerNames, BrokerUser, QueueKind } from './topology.ts';
import type { Withhold } from './withholding.ts';

/** A delivery that could be read. */
export type Delivery = { readonly message: ConsumeMessage; readonly event: ReceivedEvent };

/** `handled`: so the store answers. `unavailable`: a store did not answer. `other` says nothing about the store. */
export type Outcome = 'handled' | 'unavailable' | 'other';

export type Finishing = {
  /** @param answers how many events have been handled so far */
  readonly finish: (message: ConsumeMessage, answers: () => number) => Promise<Outcome>;
  /** Finishes all of them, or none if they are not handled. */
  readonly finishTogether: (deliveries: readonly Delivery[], by: BatchHandler) => Promise<Outcome>;
  /** Publishes them again with a delay, without counting an attempt. */
  readonly putOff: (messages: readonly ConsumeMessage[]) => Promise<void>;
};

/** Only the event that finds out whether the store is back is put off, so the broker has little to do, and the event comes soon enough. */
const PUT_OFF_MS = 10_000;
const putOffHeader = 'x-put-off';

/** A span drops further links. */
const LINKS = 128;

export function finishBy(o: {
  channel: Channel;
  /** Delivered and not finished. */
  inHand: Set<ConsumeMessage>;
  publish: Publish;
  service: BrokerUser;
  names: BrokerNames;
  kind: QueueKind;
  byType: ReadonlyMap<string, Subscription>;
  retryDelaysMs: readonly number[];
  withhold: Withhold;
  logger: Logger;
  metrics: Metrics;
}): Finishing {
  const { channel, inHand, names, service, kind, logger } = o;
  const handled = o.metrics.histogram({
    name: 'events_handled_seconds',
    help: 'Time to handle an event, or the batch that it was in, by queue, type and outcome',
    labelNames: ['queue', 'type', 'outcome'],
  });

  function acknowledge(message: ConsumeMessage): void {
    inHand.delete(message);
    channel.ack(message);
  }

  /** One frame for the oldest of all that are in hand: one each would be the broker's main load, and be cut off by a stop. */
  function acknowledgeAll(messages: readonly ConsumeMessage[]): void {
    const done = new Set(messages);
    let last: ConsumeMessage | undefined;
    for (const message of inHand) {
      if (!done.has(message)) break;
      last = message;
    }
    for (const message of messages) inHand.delete(message);
    if (last !== undefined) channel.ack(last, true);
    const upTo = last?.fields.deliveryTag ?? 0;
    for (const message of messages) if (message.fields.deliveryTag > upTo) channel.ack(message);
  }

  /** The broker delivers it again, now or after the reconnection. */
  function giveBack(message: ConsumeMessage, error: unknown): void {
    logger.warn({ error, eventId: idOf(message) }, 'event given back to the broker');
    inHand.delete(message);
    try {
      channel.nack(message);
    } catch {
      // The channel is closed, so the broker delivers it again anyway.
    }
  }

  async function publishAgain(message: ConsumeMessage, error: unknown): Promise<'retried' | 'parked'> {
    const attempts = attemptsOf(message) + 1;
    const reason = error instanceof Error ? error.message : String(error);
    const delayMs = o.retryDelaysMs[attempts - 1];
    if (delayMs === undefined) return park(message, reason, attempts);
    logger.warn(
      { error, attempts, delayMs, eventId: idOf(message) },
      'event not handled, will be tried again',
    );
    await o.publish([copyTo(message, names.retry(service, kind, delayMs), { [attemptsHeader]: attempts })]);
    return 'retried';
  }

  async function park(message: ConsumeMessage, reason: string, attempts: number): Promise<'parked'> {
    logger.error({ reason, attempts, eventId: idOf(message) }, 'event parked');
    const queue = names.parked(service);
    await o.publish([toParked(message, { queue, reason, attempts, withhold: o.withhold })]);
    return 'parked';
  }

  async function publishLater(messages: readonly ConsumeMessage[]): Promise<void> {
    const delayMs = o.retryDelaysMs.findLast((delay) => delay <= PUT_OFF_MS);
    if (delayMs === undefined) throw new Error('no retry queue has a delay that short');
    const queue = names.retry(service, kind, delayMs);
    await o.publish(messages.map((message) => copyTo(message, queue, { [putOffHeader]: true })));
  }

  /**
   * The rule: an unreadable message is parked at once, because a retry cannot help. While a store is away the event is put off. Any other
   * error of a handler may be temporary: the event is tried again after each delay and then parked. So is an event that was put off, and for
   * which the store fails again while it answers others.
   */
  async function handle(message: ConsumeMessage, answers: () => number) {
    const read = readMessage(message, o.byType);
    if (!read.ok)
      return { type: 'unreadable', outcome: await park(message, read.reason, attemptsOf(message)) };
    const type = read.subscription.declaration.name;
    const before = answers();
    try {
      await read.subscription.handle(read.event);
      return { type, outcome: 'handled' };
    } catch (error) {
      const isCause = wasPutOff(message) && answers() > before;
      if (!isServiceUnavailable(error) || isCause)
        return { type, outcome: await publishAgain(message, error) };
      logger.warn({ error, eventId: idOf(message) }, 'event put off, because a store does not answer');
      await publishLater([message]);
      return { type, outcome: 'put-off' };
    }
  }

  return {
    finish: async (message, answers) => {
      const done = handled.startTimer({ queue: kind });
      try {
        const { type, outcome } = await handle(message, answers);
        done({ type, outcome });
        acknowledge(message);
        if (outcome === 'put-off') return 'unavailable';
        return outcome === 'handled' ? 'handled' : 'other';
      } catch (error) {
        giveBack(message, error);
        return 'other';
      }
    },
    finishTogether: async (deliveries, { handle: handleBatch }) => {
      const done = handled.startTimer({ queue: kind });
      const events = deliveries.map(({ event }) => event);
      try {
        await inTraceOfBatch(service, events, () => handleBatch(events));
      } catch (error) {
        logger.warn({ error, events: events.length }, 'batch not handled');
        return isServiceUnavailable(error) ? 'unavailable' : 'other';
      }
      for (const { declaration } of events) done({ type: declaration.name, outcome: 'handled' });
      try {
        acknowledgeAll(deliveries.map(({ message }) => message));
      } catch (error) {
        logger.warn(
          { error, events: deliveries.length },
          'batch not acknowledged, its events will come again',
        );
      }
      return 'handled';
    },
    putOff: async (messages) => {
      try {
        await publishLater(messages);
        acknowledgeAll(messages);
      } catch (error) {
        for (const message of messages) giveBack(message, error);
      }
    },
  };
}

/** Whether it is handled alone: one that failed before would make each batch fail. */
export function hasFailed(message: ConsumeMessage): boolean {
  return attemptsOf(message) > 0 || wasPutOff(message);
}

/** How often this message was tried. */
function attemptsOf(message: ConsumeMessage): number {
  const attempts: unknown = message.properties.headers?.[attemptsHeader];
  return typeof attempts === 'number' ? attempts : 0;
}

function wasPutOff(message: ConsumeMessage): boolean {
  return message.properties.headers?.[putOffHeader] === true;
}

function idOf(message: ConsumeMessage): unknown {
  return message.properties.messageId;
}

/** A batch of several has many causes, so it gets its own trace with links to theirs. A batch of one continues that of its cause. */
function inTraceOfBatch<T>(
  service: BrokerUser,
  events: readonly ReceivedEvent[],
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...others] = events;
  if (first !== undefined && others.length === 0)
    return inSpan({ name: `${service} process`, kind: 'CONSUMER', parent: first.trace }, work);
  const links = events.slice(0, LINKS).flatMap(({ trace }) => trace ?? []);
  const attributes = { 'messaging.batch.message_count': events.length };
  return inSpan({ name: `${service} batch`, kind: 'CONSUMER', links, attributes, parent: null }, work);
}
