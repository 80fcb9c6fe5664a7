/** The stores as containers, the same for testcontainers, for compose and for the root's docker-compose.yml. */
import { answers, becomePrimary, type Store, untilItAnswers } from '../stores.ts';

export const mongoVersion = '8.0.15';

export const images: Record<Store, string> = {
  postgres: 'postgres:18',
  mongo: `mongo:${mongoVersion}`,
  rabbitmq: 'rabbitmq:4.2',
  valkey: 'valkey/valkey:8.1',
};

/** The port of each store inside its container. */
export const containerPorts: Record<Store, number> = {
  postgres: 5432,
  mongo: 27017,
  rabbitmq: 5672,
  valkey: 6379,
};

const urls: Record<Store, (address: string) => string> = {
  postgres: (address) => `postgres://postgres@${address}/postgres`,
  mongo: (address) => `mongodb://${address}/?directConnection=true`,
  rabbitmq: (address) => `amqp://guest:guest@${address}`,
  valkey: (address) => `redis://${address}`,
};

/** Enough for a first start while images are unpacked. */
const START_BOUND_MS = 60_000;

/** The URL of the store, once it answers at `host:port`. */
export async function readyContainer(store: Store, address: string): Promise<string> {
  const url = urls[store](address);
  await untilItAnswers(
    async () => {
      // Only the member itself uses this address; clients connect directly.
      if (store === 'mongo') await becomePrimary(url, `127.0.0.1:${containerPorts.mongo}`);
      await answers[store](url);
    },
    { boundMs: START_BOUND_MS },
  );
  return url;
}
