/** Exchange and queues, derived from the event declarations. Every service declares all of them, so the order of starts is free. */
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { routingKey } from '@offer-ads/contracts/events/event-declaration';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import type { Channel } from 'amqplib';

/** Users of the broker: the services, and the admin tool, which only publishes. */
export type BrokerUser = ServiceName | 'admin';

/** A consumer's queues. `bulk` is for events that come by the thousand: however many wait there, they delay nothing in `main`. */
export const queueKinds = ['main', 'bulk'] as const;
export type QueueKind = (typeof queueKinds)[number];

export type BrokerNames = {
  readonly exchange: string;
  readonly queue: (service: BrokerUser, kind: QueueKind) => string;
  readonly parked: (service: BrokerUser) => string;
  /** One queue per delay: messages leave a queue in order, so a longer delay in front would hold up a shorter one. */
  readonly retry: (service: BrokerUser, kind: QueueKind, delayMs: number) => string;
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
  const queue = (service: BrokerUser, kind: QueueKind) =>
    kind === 'main' ? `${prefix}${service}` : `${prefix}${service}.bulk`;
  return {
    exchange: `${prefix}offer-ads`,
    queue,
    parked: (service) => `${prefix}${service}.parked`,
    retry: (service, kind, delayMs) => `${queue(service, kind)}.retry-${delayMs}ms`,
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
    for (const kind of queuesOf(consumer, o.declarations))
      await channel.assertQueue(names.queue(consumer, kind), {
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
      await channel.bindQueue(
        names.queue(consumer, queueFor(declaration)),
        names.exchange,
        routingKey(declaration),
      );
  for (const kind of queuesOf(o.service, o.declarations))
    for (const delayMs of o.retryDelaysMs)
      await channel.assertQueue(names.retry(o.service, kind, delayMs), {
        durable: true,
        arguments: {
          ...names.queueArguments,
          ...deadLetterTo(names.queue(o.service, kind)),
          'x-message-ttl': delayMs,
        },
      });
}

/** The queue in which consumers get such an event. */
export function queueFor(declaration: EventDeclaration): QueueKind {
  return declaration.bulk === true ? 'bulk' : 'main';
}

/** The queues of a service: none if it consumes nothing. */
export function queuesOf(
  service: BrokerUser,
  declarations: readonly EventDeclaration[],
): readonly QueueKind[] {
  const consumed = declarations.filter(({ consumers }) => consumers.some((consumer) => consumer === service));
  return queueKinds.filter((kind) => consumed.some((declaration) => queueFor(declaration) === kind));
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
