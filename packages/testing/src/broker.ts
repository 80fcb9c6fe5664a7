/** A corner of the broker that no other test file sees. */
import { randomUUID } from 'node:crypto';
import { serviceNames } from '@offer-ads/contracts/primitives';
import { brokerNames } from '@offer-ads/platform/broker-topology';
import { connect } from 'amqplib';
import { requireAddress } from './config.ts';

export type TestNamespace = {
  readonly url: string;
  /** For the `namespace` option of `connectBroker`. */
  readonly namespace: string;
  readonly dispose: () => Promise<void>;
};

/** Dispose it in `afterAll`, once what connected to it has closed. */
export function testNamespace(): TestNamespace {
  const url = requireAddress('rabbitmq');
  const namespace = `test-${randomUUID()}`;
  return { url, namespace, dispose: () => deleteNamespace(url, namespace) };
}

/** Deleting what is not there is no error to RabbitMQ. Retry queues, whose names depend on delays, expire. */
async function deleteNamespace(url: string, namespace: string): Promise<void> {
  const names = brokerNames(namespace);
  const connection = await connect(url, { noDelay: true });
  try {
    const channel = await connection.createChannel();
    for (const service of serviceNames) {
      await channel.deleteQueue(names.queue(service));
      await channel.deleteQueue(names.parked(service));
    }
    await channel.deleteExchange(names.exchange);
  } finally {
    await connection.close();
  }
}
