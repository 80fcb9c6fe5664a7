/** A namespace of the broker for one test file. */
import { randomUUID } from 'node:crypto';
import { allEvents } from '@offer-ads/contracts/events/events';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { type Broker, RETRY_DELAYS_MS } from '@offer-ads/platform/messaging/broker/broker';
import {
  brokerNames,
  type QueueKind,
  queueKinds,
  queuesOf,
} from '@offer-ads/platform/messaging/broker/topology';
import { type Channel, connect } from 'amqplib';
import { requireAddress } from '../config.ts';
import { eventually } from '../waiting/eventually.ts';

export type TestNamespace = {
  readonly url: string;
  /** For the `namespace` option of `connectBroker`. */
  readonly namespace: string;
  /** Moves the events that wait for a retry back into the queues, so that no test waits for minutes. */
  readonly retryNow: (...services: readonly ServiceName[]) => Promise<void>;
  /** Messages in a queue of a service, by default `main`, that have not been delivered to it. */
  readonly waiting: (service: ServiceName, kind?: QueueKind) => Promise<number>;
  readonly dispose: () => Promise<void>;
};

/** Dispose it in `afterAll`, after all its connections have been closed. */
export function testNamespace(): TestNamespace {
  const url = requireAddress('rabbitmq');
  const namespace = `test-${randomUUID()}`;
  const names = brokerNames(namespace);
  return {
    url,
    namespace,
    retryNow: (...services) =>
      onChannel(url, async (channel) => {
        for (const service of services)
          for (const kind of queuesOf(service, allEvents))
            for (const delayMs of RETRY_DELAYS_MS)
              await moveAll(channel, names.retry(service, kind, delayMs), names.queue(service, kind));
      }),
    waiting: (service, kind = 'main') =>
      onChannel(url, async (channel) => (await channel.checkQueue(names.queue(service, kind))).messageCount),
    dispose: () => deleteNamespace(url, namespace),
  };
}

/** A start waits only a while for the connection, so on a busy machine it may be made later. Before that nothing can be published. */
export async function untilConnected(broker: Pick<Broker, 'connected'>): Promise<void> {
  await eventually(() => {
    if (!broker.connected()) throw new Error('the broker is not connected yet');
  });
}

/** Sends an event of an unknown type straight into the queue of a real service, which parks it. */
export async function sendUnreadable(
  url: string,
  o: { readonly service: ServiceName; readonly subject: string; readonly data: object },
): Promise<void> {
  await onChannel(url, async (channel) => {
    const headers = { cloudEvents_type: 'made.up', cloudEvents_subject: o.subject };
    const content = Buffer.from(JSON.stringify(o.data));
    const properties = { messageId: randomUUID(), headers, persistent: true };
    const queue = brokerNames('').queue(o.service, 'main');
    channel.sendToQueue(queue, content, properties);
    // Answered only after the message above has arrived.
    await channel.checkQueue(queue);
  });
}

async function moveAll(channel: Channel, from: string, to: string): Promise<void> {
  for (let message = await channel.get(from); message !== false; message = await channel.get(from)) {
    const { messageId, headers } = message.properties;
    channel.sendToQueue(to, message.content, { persistent: true, messageId: String(messageId), headers });
    channel.ack(message);
  }
}

/** RabbitMQ accepts the deletion of a missing queue. Retry queues, whose names depend on delays, expire. */
async function deleteNamespace(url: string, namespace: string): Promise<void> {
  const names = brokerNames(namespace);
  await onChannel(url, async (channel) => {
    for (const service of serviceNames) {
      for (const kind of queueKinds) await channel.deleteQueue(names.queue(service, kind));
      await channel.deleteQueue(names.parked(service));
    }
    await channel.deleteExchange(names.exchange);
  });
}

async function onChannel<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await connect(url, { noDelay: true });
  try {
    return await work(await connection.createChannel());
  } finally {
    await connection.close();
  }
}
