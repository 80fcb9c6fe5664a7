/** Exchange and queues, derived from the event declarations. Every service declares all of them, so the order of starts is free. */
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { routingKey } from '@offer-ads/contracts/events/event-declaration';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import type { Channel } from 'amqplib';

/** Users of the broker: the services, and the admin tool, which only publishes. */
export type BrokerUser = ServiceName | 'admin';

export type BrokerNames = {
  readonly exchange: string;
  readonly queue: (service: BrokerUser) => string;
  readonly parked: (service: BrokerUser) => string;
  /** One queue per delay: messages leave a queue in order, so a longer delay in front would hold up a shorter one. */
  readonly retry: (service: BrokerUser, delayMs: number) => string;
  /** Arguments of every queue. */
  readonly queueArguments: Readonly<Record<string, unknown>>;
};

/** The broker deletes the queues of tests that were killed. */
const UNUSED_TEST_QUEUE_MS = 300_000;

/**
 * A namespace isolates its exchange and queues, so that tests run side by side on one broker. Its queues are deleted when unused for a
 * while. The real system uses the empty namespace, whose queues stay.
 */
export function brokerNames(namespace: string): BrokerNames {
  const prefix = namespace === '' ? '' : `${namespace}.`;
  return {
    exchange: `${prefix}offer-ads`,
    queue: (service) => `${prefix}${service}`,
    parked: (service) => `${prefix}${service}.parked`,
    retry: (service, delayMs) => `${prefix}${service}.retry-${delayMs}ms`,
    queueArguments: {
      'x-queue-type': 'quorum',
      ...(namespace === '' ? {} : { 'x-expires': UNUSED_TEST_QUEUE_MS }),
    },
  };
}

/**
 * After this many deliveries that ended in a crash the broker parks the message by itself. RabbitMQ 4 would drop it
 * at 20 by default, version 3 never; here both park at 20.
 */
const CRASH_LIMIT = 20;
/** Reading parked messages counts as a delivery and must never reach a limit. */
const UNLIMITED = 1_000_000_000;

/**
 * Declares the queues of all consumers, not only of this service: an event may be published before its consumer has ever started.
 * Declaring an existing queue again changes nothing.
 */
export async function declareTopology(
  channel: Channel,
  o: {
    names: BrokerNames;
    service: BrokerUser;
    declarations: readonly EventDeclaration[];
    retryDelaysMs: readonly number[];
  },
): Promise<void> {
  const { names } = o;
  await channel.assertExchange(names.exchange, 'topic', { durable: true });
  for (const consumer of consumersOf(o.declarations)) {
    await channel.assertQueue(names.parked(consumer), {
      durable: true,
      arguments: { ...names.queueArguments, 'x-delivery-limit': UNLIMITED },
    });
    await channel.assertQueue(names.queue(consumer), {
      durable: true,
      arguments: {
        ...names.queueArguments,
        ...deadLetterTo(names.parked(consumer)),
        'x-delivery-limit': CRASH_LIMIT,
      },
    });
  }
  for (const declaration of o.declarations)
    for (const consumer of declaration.consumers)
      await channel.bindQueue(names.queue(consumer), names.exchange, routingKey(declaration));
  if (!consumesAny(o.service, o.declarations)) return;
  for (const delayMs of o.retryDelaysMs)
    await channel.assertQueue(names.retry(o.service, delayMs), {
      durable: true,
      arguments: {
        ...names.queueArguments,
        ...deadLetterTo(names.queue(o.service)),
        'x-message-ttl': delayMs,
      },
    });
}

export function consumesAny(service: BrokerUser, declarations: readonly EventDeclaration[]): boolean {
  return consumersOf(declarations).has(service);
}

function consumersOf(declarations: readonly EventDeclaration[]): ReadonlySet<BrokerUser> {
  return new Set<BrokerUser>(declarations.flatMap((declaration) => declaration.consumers));
}

/** By default quorum queues may lose a message while dead-lettering; "at least once" needs `reject-publish`. */
function deadLetterTo(queue: string): Record<string, unknown> {
  return {
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  };
}
