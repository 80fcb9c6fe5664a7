/** Finishes a delivery: it is handled, retried after a delay, parked, or given back to the broker. */
import type { SpanContext } from '@opentelemetry/api';
import type { ConsumeMessage } from 'amqplib';
import { isServiceUnavailable } from '../../process/faults.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { inSpan } from '../../telemetry/traces.ts';
import type { ReceivedEvent } from '../events.ts';
import type { Acknowledging } from './acknowledging.ts';
import type { Tried } from './holding.ts';
import { type ReadMessage, readMessage, type Subscription } from './messages.ts';
import { attemptsHeader, copyTo, toParked } from './parking.ts';
import type { Publish } from './publishing.ts';
import type { BrokerNames, BrokerUser, QueueKind } from './topology.ts';
import type { Withhold } from './withholding.ts';

/** A delivery that could be read, with the trace of its cause. */
export type Delivery = {
  readonly message: ConsumeMessage;
  readonly event: ReceivedEvent;
  readonly trace: SpanContext | null;
};

export type Together = {
  readonly declaration: Subscription['declaration'];
  readonly handleTogether: NonNullable<Subscription['handleTogether']>;
};

export type Finishing = {
  /**
   * After `unavailable` the message is not finished.
   * @param isToBlame whether the event itself is the reason for which its handler reports a store as unavailable
   */
  readonly finish: (message: ConsumeMessage, isToBlame: () => boolean) => Promise<Tried>;
  /** After `unavailable` and `failed` none of them is finished. */
  readonly finishTogether: (
    deliveries: readonly Delivery[],
    by: Together,
  ) => Promise<'handled' | 'unavailable' | 'failed'>;
  /** Publishes them again with a delay, without counting a try. */
  readonly putOff: (messages: readonly ConsumeMessage[]) => Promise<void>;
};

const PUT_OFF_MS = 60_000;

/** A span drops further links. */
const LINKS = 128;

type Outcome = 'handled' | 'retried' | 'parked' | 'held';

export function finishBy(o: {
  acknowledging: Acknowledging;
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
  const { acknowledging, names, service, kind, logger } = o;
  const handled = o.metrics.histogram({
    name: 'events_handled_seconds',
    help: 'Time to handle an event, or the batch that it was in, by queue, type and outcome',
    labelNames: ['queue', 'type', 'outcome'],
  });

  /**
   * The rule: an unreadable message is parked at once, because a retry cannot help. While a store is unavailable the event is held. Any
   * other error of a handler may be temporary: the event is retried after each delay and then parked.
   */
  async function handle(
    message: ConsumeMessage,
    read: ReadMessage,
    isToBlame: () => boolean,
  ): Promise<Outcome> {
    if (!read.ok) return park(message, read.reason, attemptsOf(message));
    try {
      await read.subscription.handle(read.event);
      return 'handled';
    } catch (error) {
      if (!isServiceUnavailable(error) || isToBlame()) return retry(message, error);
      logger.warn({ error, eventId: idOf(message) }, 'event not handled, because a store does not answer');
      return 'held';
    }
  }

  async function retry(message: ConsumeMessage, error: unknown): Promise<Outcome> {
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

  async function park(message: ConsumeMessage, reason: string, attempts: number): Promise<Outcome> {
    logger.error({ reason, attempts, eventId: idOf(message) }, 'event parked');
    const queue = names.parked(service);
    await o.publish([toParked(message, { queue, reason, attempts, withhold: o.withhold })]);
    return 'parked';
  }

  return {
    finish: async (message, isToBlame) => {
      const read = readMessage(message, o.byType);
      const type = read.ok ? read.subscription.declaration.name : 'unreadable';
      const done = handled.startTimer({ queue: kind, type });
      try {
        const outcome = await handle(message, read, isToBlame);
        if (outcome === 'held') return 'unavailable';
        done({ outcome });
        acknowledging.ack([message]);
        return outcome === 'handled' ? 'answered' : 'unknown';
      } catch (error) {
        // Neither retried nor parked nor acknowledged: the broker delivers it again, now or after the reconnection.
        logger.warn({ error, eventId: idOf(message) }, 'event given back to the broker');
        acknowledging.giveBack(message);
        return 'unknown';
      }
    },
    finishTogether: async (deliveries, { declaration, handleTogether }) => {
      const done = handled.startTimer({ queue: kind, type: declaration.name });
      try {
        await inTraceOfItsOwn(declaration.name, deliveries, () =>
          handleTogether(deliveries.map(({ event }) => event)),
        );
      } catch (error) {
        logger.warn({ error, events: deliveries.length }, 'batch not handled');
        return isServiceUnavailable(error) ? 'unavailable' : 'failed';
      }
      for (const _ of deliveries) done({ outcome: 'handled' });
      try {
        acknowledging.ack(deliveries.map(({ message }) => message));
      } catch (error) {
        logger.warn(
          { error, events: deliveries.length },
          'batch not acknowledged, its events will come again',
        );
      }
      return 'handled';
    },
    putOff: async (messages) => {
      // Long enough that they do not circulate all the time, short enough that they are handled soon after the store is back.
      const delayMs = o.retryDelaysMs.findLast((delay) => delay <= PUT_OFF_MS);
      try {
        if (delayMs === undefined) throw new Error('no retry queue has a delay that short');
        const queue = names.retry(service, kind, delayMs);
        await o.publish(messages.map((message) => copyTo(message, queue, {})));
        acknowledging.ack(messages);
      } catch (error) {
        logger.warn({ error, events: messages.length }, 'events given back to the broker');
        for (const message of messages) acknowledging.giveBack(message);
      }
    },
  };
}

/** How often this message was tried. */
export function attemptsOf(message: ConsumeMessage): number {
  const attempts: unknown = message.properties.headers?.[attemptsHeader];
  return typeof attempts === 'number' ? attempts : 0;
}

function idOf(message: ConsumeMessage): unknown {
  return message.properties.messageId;
}

/** A batch has many causes, so it gets its own trace with links to theirs. */
function inTraceOfItsOwn<T>(
  name: string,
  deliveries: readonly Delivery[],
  work: () => Promise<T>,
): Promise<T> {
  const links = deliveries.slice(0, LINKS).flatMap(({ trace }) => trace ?? []);
  const attributes = { 'messaging.batch.message_count': deliveries.length };
  return inSpan({ name: `${name} batch`, kind: 'CONSUMER', links, attributes, parent: null }, work);
}
