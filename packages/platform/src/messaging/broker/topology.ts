/** Exchange and queues, derived from the declarations and declared by everybody alike, so that no start order matters. */
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { routingKey } from '@offer-ads/contracts/events/event-declaration';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import type { Channel } from 'amqplib';

/** Who is on the broker: the services, and the admin tool, which only publishes. */
export type BrokerUser = ServiceName | 'admin';

export type BrokerNames = {
  readonly exchange: string;
  readonly queue: (service: BrokerUser) => string;
  readonly parked: (service: BrokerUser) => string;
  /** One queue per delay, because messages leave a queue in the order in which they came. */
  readonly retry: (service: BrokerUser, delayMs: number) => string;
  /** Arguments that every queue gets. */
  readonly queueArguments: Readonly<Record<string, unknown>>;
};

/** Nobody tidies up after a test that was killed, so the broker does. */
const UNUSED_TEST_QUEUE_MS = 300_000;

/**
 * Equal namespaces share everything, different ones nothing: how tests run side by side on one broker. The queues of
 * a namespace vanish when nobody has used them for a while; those of the empty one, the real system, stay.
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
/** Looking at parked messages counts as delivering them, and must never use them up. */
const UNLIMITED = 1_000_000_000;

/**
 * Declares the queues of every consumer, not only of this service: an event that is published before its consumer
 * first started must already find the queue. Declaring again what exists changes nothing.
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

/** Quorum queues dead-letter at most once unless told otherwise; at least once needs `reject-publish`. */
function deadLetterTo(queue: string): Record<string, unknown> {
  return {
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  };
}
