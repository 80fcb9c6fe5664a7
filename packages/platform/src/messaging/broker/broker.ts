/** The interface to RabbitMQ: confirmed publishing, consuming, and access to parked messages. */
import type { ParkedMessage } from '@offer-ads/contracts/admin/events-api';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import type { ConfirmChannel } from 'amqplib';
import { serviceUnavailable } from '../../process/faults.ts';
import type { PauseBounds } from '../../process/growing-pauses.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { OutgoingEvent, ReceivedEvent } from '../events.ts';
import { keepConnected, type Line } from './connection.ts';
import { type Consuming, startConsuming } from './consuming.ts';
import { type BatchHandler, type Subscription, toMessage } from './messages.ts';
import { dropParked, listParked, replayParked, type Selection } from './parking.ts';
import { confirmedPublish, type Publish } from './publishing.ts';
import {
  type BrokerUser,
  brokerNames,
  declareTopology,
  type QueueKind,
  queueFor,
  queuesOf,
} from './topology.ts';
import { watchQueues } from './watching.ts';
import { withholdSensitive } from './withholding.ts';

export type { Subscription };

export type Broker = AsyncDisposable & {
  /** Publishes in order and waits for confirms. Rejects at once while the broker is unreachable, otherwise within the time-out. */
  readonly publish: (events: readonly OutgoingEvent[]) => Promise<void>;
  /**
   * Publishes like `publish`, but only over the present connection: once that is lost, all later calls reject. So no event overtakes an
   * earlier one that was lost with the connection.
   */
  readonly publisher: () => Broker['publish'];
  /** Starts as soon as the broker is reachable, and again after every reconnection. Call it once. */
  readonly consume: (subscriptions: readonly Subscription[]) => Promise<void>;
  /**
   * Part of a stop, before the last flush of the outbox: waits for the events being handled and takes no more, also not after a
   * reconnection. Publishing still works.
   */
  readonly stopConsuming: () => Promise<void>;
  readonly connected: () => boolean;
  /** CloudEvents types that this release can publish. */
  readonly types: readonly string[];
  /** Those of `types` whose events carry a credential. */
  readonly typesWithCredentials: readonly string[];
  readonly parked: {
    readonly list: (limit: number) => Promise<ParkedMessage[]>;
    readonly replay: (select: Selection) => Promise<number>;
    readonly drop: (select: Selection) => Promise<number>;
  };
};

export function on<D extends EventDeclaration>(
  declaration: D,
  handle: (event: ReceivedEvent<D>) => Promise<void>,
): Subscription {
  // The cast is safe: readMessage has checked the event against the declaration's schema.
  return { declaration, handle: (event) => handle(event as ReceivedEvent<D>) };
}

/** This many fit into a transaction of some ten milliseconds. */
const BATCH_AT_MOST = 500;

/**
 * For events that come by the thousand: `handle` gets up to 500 of them at once, in any order. All are acknowledged when it resolves. So
 * it must do all of them or, when it throws, none. After a failure each event is handled as a batch of one.
 */
export function onBatch<D extends EventDeclaration>(
  declaration: D,
  handle: (events: readonly ReceivedEvent<D>[]) => Promise<void>,
): Subscription {
  // The cast is safe, as above.
  return batched(declaration, { atMost: BATCH_AT_MOST, handle: handle as BatchHandler['handle'] });
}

/** The same for several kinds of events, which share their batches. */
export function onBatches(
  declarations: readonly EventDeclaration[],
  inBatches: BatchHandler,
): readonly Subscription[] {
  return declarations.map((declaration) => batched(declaration, inBatches));
}

function batched(declaration: EventDeclaration, inBatches: BatchHandler): Subscription {
  return { declaration, handle: (event) => inBatches.handle([event]), inBatches };
}

/** Five attempts: the first at once, the others after these pauses. They last longer than a failover and a short outage. */
export const RETRY_DELAYS_MS = [1_000, 10_000, 60_000, 600_000] as const;
const CONFIRM_TIMEOUT_MS = 5_000;

type Link = { readonly line: Line; readonly publish: Publish };

/** Returns also when the broker is down, and keeps trying to connect. */
export async function connectBroker(o: {
  url: string;
  service: BrokerUser;
  declarations: readonly EventDeclaration[];
  logger: Logger;
  metrics: Metrics;
  /** Prefix of exchange and queues, so that tests do not disturb each other. */
  namespace?: string | undefined;
  retryDelaysMs?: readonly number[];
  confirmTimeoutMs?: number;
  waitsAtMostMs?: number;
  storePauses?: PauseBounds;
}): Promise<Broker> {
  const { service, declarations, logger, metrics } = o;
  const names = brokerNames(o.namespace ?? '');
  const retryDelaysMs = o.retryDelaysMs ?? RETRY_DELAYS_MS;
  const timeoutMs = o.confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS;
  const byType = new Map(declarations.map((declaration) => [eventType(declaration), declaration]));
  const withhold = withholdSensitive(byType);
  const kindOf = (type: string) => {
    const declaration = byType.get(type);
    return declaration === undefined ? 'main' : queueFor(declaration);
  };
  let subscriptions: readonly Subscription[] = [];
  const kinds = queuesOf(service, declarations);
  const consuming = new Map<QueueKind, Consuming>();

  const connection = await keepConnected<Link>({
    url: o.url,
    logger,
    metrics,
    setUp: async (line) => {
      const channel = line.guard(await line.model.createConfirmChannel());
      await declareTopology(channel, { names, service, declarations, retryDelaysMs });
      // An event without a queue means that the topology is damaged; a new set-up repairs it.
      const publish = confirmedPublish(channel, { timeoutMs, onUnroutable: line.reset });
      await startConsumer({ line, publish });
      return { line, publish };
    },
  });

  async function startConsumer({ line, publish }: Link): Promise<void> {
    if (subscriptions.length === 0) return;
    consuming.clear();
    for (const kind of kinds) {
      // A channel of its own, because what is prefetched from one queue must take no place of the other's.
      const channel = line.guard(await line.model.createChannel());
      const started = await startConsuming({
        channel,
        publish,
        service,
        names,
        kind,
        subscriptions: subscriptions.filter(({ declaration }) => queueFor(declaration) === kind),
        retryDelaysMs,
        waitsAtMostMs: o.waitsAtMostMs,
        storePauses: o.storePauses,
        withhold,
        onCancelled: line.reset,
        logger,
        metrics,
      });
      consuming.set(kind, started);
    }
    // A stop was requested meanwhile.
    if (subscriptions.length === 0) await stopConsuming();
  }

  async function stopConsuming(): Promise<void> {
    subscriptions = [];
    const stopping = [...consuming.values()].map((consumer) => consumer.stop());
    consuming.clear();
    for (const result of await Promise.allSettled(stopping))
      if (result.status === 'rejected') logger.warn({ error: result.reason }, 'consumer did not stop');
  }

  function linked(): Link {
    const link = connection.current();
    if (link === undefined) throw serviceUnavailable('broker: not connected');
    return link;
  }

  /** Uses its own channel: closing it gives back the messages that were only read. */
  async function withParked<T>(
    nothing: T,
    work: (channel: ConfirmChannel, link: Link) => Promise<T>,
  ): Promise<T> {
    if (kinds.length === 0) return nothing;
    const link = linked();
    const channel = await link.line.model.createConfirmChannel();
    channel.on('error', (error) => logger.warn({ error }, 'broker channel failed'));
    try {
      return await work(channel, link);
    } finally {
      await channel.close().catch(() => {});
    }
  }
  const parked = names.parked(service);
  const watching =
    kinds.length > 0
      ? watchQueues({
          model: () => connection.current()?.line.model,
          names,
          service,
          retryDelaysMs,
          kinds,
          inHand: (kind) => consuming.get(kind)?.inHand() ?? { count: 0, oldestAgeMs: 0 },
          logger,
          metrics,
        })
      : undefined;

  function publisher(): Broker['publish'] {
    const { publish } = linked();
    return async (events) => {
      const messages = events.map((event) => {
        const declaration = byType.get(event.type);
        if (declaration === undefined) throw new Error(`event ${event.type} is not declared`);
        return toMessage(event, declaration, names.exchange);
      });
      await publish(messages);
    };
  }

  return {
    publish: async (events) => publisher()(events),
    publisher,
    consume: async (wanted) => {
      requireAll(service, declarations, wanted);
      subscriptions = wanted;
      const link = connection.current();
      // Without a connection, or when this fails, the set-up of the next connection starts the consumer.
      if (link !== undefined) await startConsumer(link).catch(link.line.reset);
    },
    stopConsuming,
    connected: () => connection.current() !== undefined,
    types: [...byType.keys()],
    typesWithCredentials: declarations.filter(({ credentials }) => credentials !== undefined).map(eventType),
    parked: {
      list: (limit) =>
        withParked<ParkedMessage[]>([], (channel) => listParked(channel, { parked, limit, withhold })),
      replay: (select) =>
        withParked(0, (channel, { publish }) =>
          replayParked(channel, {
            parked,
            queueOf: (type) => names.queue(service, kindOf(type)),
            publish,
            select,
          }),
        ),
      drop: (select) => withParked(0, (channel) => dropParked(channel, parked, select)),
    },
    [Symbol.asyncDispose]: async () => {
      // Must come first, or another batch could start meanwhile.
      await stopConsuming();
      await watching?.[Symbol.asyncDispose]();
      await connection[Symbol.asyncDispose]();
    },
  };
}

/** A service that is declared as consumer of an event but does not subscribe would park each one, so it must not start. */
function requireAll(
  service: BrokerUser,
  declarations: readonly EventDeclaration[],
  subscriptions: readonly Subscription[],
): void {
  const subscribed = new Set(subscriptions.map((subscription) => eventType(subscription.declaration)));
  const missing = declarations.filter(
    (declaration) =>
      declaration.consumers.some((consumer) => consumer === service) &&
      !subscribed.has(eventType(declaration)),
  );
  if (missing.length === 0) return;
  const list = missing.map(({ name }) => name).join(', ');
  throw new Error(`${service} is declared as consumer but does not subscribe to ${list}`);
}
