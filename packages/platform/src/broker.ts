/** RabbitMQ: one connection that is kept up, on it the topology, confirmed publishing and the service's consumer. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventDeclaration } from '@offer-ads/contracts/event-declaration';
import { eventType } from '@offer-ads/contracts/event-declaration';
import { type Channel, type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { type Consuming, startConsuming } from './broker-consuming.ts';
import { type Subscription, toMessage } from './broker-messages.ts';
import {
  dropParked,
  listParked,
  type ParkedMessage,
  replayParked,
  type Selection,
} from './broker-parking.ts';
import { confirmedPublish, type Publish } from './broker-publishing.ts';
import { type BrokerUser, brokerNames, consumesAny, declareTopology } from './broker-topology.ts';
import type { OutgoingEvent, ReceivedEvent } from './events.ts';
import { serviceUnavailable } from './faults.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

export type { ParkedMessage, Selection, Subscription };

export type Broker = AsyncDisposable & {
  /** In order, confirmed; rejects at once while the broker is away, otherwise within the time-out. */
  readonly publish: (events: readonly OutgoingEvent[]) => Promise<void>;
  /** Starts as soon as the broker is there, and again after every reconnection. Call it once. */
  readonly consume: (subscriptions: readonly Subscription[]) => Promise<void>;
  readonly connected: () => boolean;
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
  // Only events that fit the declaration's schema are handed over (readMessage).
  return { declaration, handle: (event) => handle(event as ReceivedEvent<D>) };
}

/** Five attempts: the first at once, the others after these pauses, which outlast a failover and a short outage. */
const RETRY_DELAYS_MS = [1_000, 10_000, 60_000, 600_000] as const;
const CONFIRM_TIMEOUT_MS = 5_000;
/** A start waits this long for the broker and then goes on without: readiness tells. */
const FIRST_CONNECTION_WAIT_MS = 2_000;
const RECONNECT = { initialDelay: 200, maxDelay: 5_000 } as const;
const HEARTBEAT_SECONDS = 10;
const OPENING_TIMEOUT_MS = 5_000;
const CLOSING_TIMEOUT_MS = 2_000;

/** What exists while the broker is there. */
type Link = {
  readonly model: ChannelModel;
  readonly publish: Publish;
  readonly consuming: Consuming | undefined;
};

export async function connectBroker(o: {
  url: string;
  service: BrokerUser;
  declarations: readonly EventDeclaration[];
  logger: Logger;
  metrics: Metrics;
  /** Prefixes exchange and queues, so that tests do not meet. */
  namespace?: string;
  retryDelaysMs?: readonly number[];
  confirmTimeoutMs?: number;
}): Promise<Broker> {
  const names = brokerNames(o.namespace ?? '');
  const retryDelaysMs = o.retryDelaysMs ?? RETRY_DELAYS_MS;
  const timeoutMs = o.confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS;
  const byType = new Map(o.declarations.map((declaration) => [eventType(declaration), declaration]));
  const up = o.metrics.gauge({ name: 'broker_connected', help: '1 while the broker connection is up' });
  let subscriptions: readonly Subscription[] = [];
  let link: Link | undefined;

  /**
   * A channel that closes on its own takes the connection with it, so that there is one way back for every fault: the
   * set-up below, which also repairs a topology that somebody has deleted.
   */
  function guard<C extends Channel>(channel: C, model: ChannelModel): C {
    channel.on('error', (error) => o.logger.warn({ error }, 'broker channel failed'));
    channel.on('close', () => {
      if (link?.model === model) reset(model);
    });
    return channel;
  }

  function reset(model: ChannelModel): void {
    link = undefined;
    // It may be closing already.
    model.close().catch(() => {});
  }

  async function setUp(model: ChannelModel): Promise<void> {
    // First of all: a reset during the set-up would otherwise end the process.
    model.on('error', (error) => o.logger.warn({ error }, 'broker connection failed'));
    const channel = guard(await model.createConfirmChannel(), model);
    await declareTopology(channel, {
      names,
      service: o.service,
      declarations: o.declarations,
      retryDelaysMs,
    });
    const publish = confirmedPublish(channel, { timeoutMs, onUnroutable: () => reset(model) });
    link = { model, publish, consuming: await startConsumer(model, publish) };
    up.set(1);
  }

  async function startConsumer(model: ChannelModel, publish: Publish): Promise<Consuming | undefined> {
    if (subscriptions.length === 0) return undefined;
    return startConsuming({
      channel: guard(await model.createChannel(), model),
      publish,
      service: o.service,
      names,
      subscriptions,
      retryDelaysMs,
      onCancelled: () => reset(model),
      logger: o.logger,
      metrics: o.metrics,
    });
  }

  const connection = await connect(withHeartbeat(o.url), {
    noDelay: true,
    keepAlive: true,
    timeout: OPENING_TIMEOUT_MS,
    recovery: { ...RECONNECT, waitForConnect: false, setup: setUp },
  });
  connection.on('error', (error) => o.logger.warn({ error }, 'broker connection failed'));
  connection.on('connect', () => o.logger.info('broker connected'));
  connection.on('disconnect', (error) => {
    link = undefined;
    up.set(0);
    o.logger.warn({ error }, 'broker connection lost, reconnecting');
  });
  connection.on('connect-failed', (error) => o.logger.warn({ error }, 'broker not reachable, trying again'));
  await atMost(FIRST_CONNECTION_WAIT_MS, connection.waitForConnect());

  function linked(): Link {
    if (link === undefined) throw serviceUnavailable('broker: not connected');
    return link;
  }

  /** Parked messages are looked at on a channel of its own; closing it gives back what was only looked at. */
  async function onParkedChannel<T>(nothing: T, work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    if (!consumesAny(o.service, o.declarations)) return nothing;
    const channel = await linked().model.createConfirmChannel();
    channel.on('error', (error) => o.logger.warn({ error }, 'broker channel failed'));
    try {
      return await work(channel);
    } finally {
      await channel.close().catch(() => {});
    }
  }

  return {
    publish: async (events) => {
      const messages = events.map((event) => {
        const declaration = byType.get(event.type);
        if (declaration === undefined) throw new Error(`event ${event.type} is not declared`);
        return toMessage(event, declaration, names.exchange);
      });
      await linked().publish(messages);
    },
    consume: async (wanted) => {
      requireAll(o.service, o.declarations, wanted);
      subscriptions = wanted;
      // Otherwise the set-up of the coming connection starts it.
      if (link !== undefined) link = { ...link, consuming: await startConsumer(link.model, link.publish) };
    },
    connected: () => link !== undefined,
    parked: {
      list: (limit) =>
        onParkedChannel<ParkedMessage[]>([], (channel) =>
          listParked(channel, names.parked(o.service), limit),
        ),
      replay: (select) =>
        onParkedChannel(0, (channel) =>
          replayParked(channel, {
            parked: names.parked(o.service),
            queue: names.queue(o.service),
            publish: linked().publish,
            select,
          }),
        ),
      drop: (select) => onParkedChannel(0, (channel) => dropParked(channel, names.parked(o.service), select)),
    },
    [Symbol.asyncDispose]: async () => {
      const last = link;
      link = undefined;
      await last?.consuming
        ?.stop()
        .catch((error: unknown) => o.logger.warn({ error }, 'consumer did not stop'));
      await atMost(CLOSING_TIMEOUT_MS, connection.close());
    },
  };
}

/** A service that forgot an event that names it would park each one, so it does not start at all. */
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
  if (missing.length > 0)
    throw new Error(
      `${service} is declared as consumer but does not subscribe to ${missing.map(({ name }) => name).join(', ')}`,
    );
}

/** Heartbeats tell a peer that is gone from one that is silent. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat'))
    address.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return address.href;
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([
    work.catch(() => {}),
    pause(milliseconds, undefined, { signal: timer.signal }).catch(() => {}),
  ]);
  timer.abort();
}
