/** The three backing services and what it takes to say that one is up. */
import { connect as connectTcp } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';
import pg from 'pg';

export const stores = ['postgres', 'mongo', 'rabbitmq'] as const;
export type Store = (typeof stores)[number];

export const storeTitles: Record<Store, string> = {
  postgres: 'Postgres',
  mongo: 'MongoDB',
  rabbitmq: 'RabbitMQ',
};

/** A store that runs, and how to stop it; stopping what was not started here does nothing. */
export type RunningStore = { readonly url: string; readonly stop: () => Promise<void> };

/** One try each: rejects while the store is not up. */
export const answers: Record<Store, (url: string) => Promise<void>> = {
  postgres: async (url) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    // Connections that a starting server drops come back as events too; the rejection below is enough.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
    } finally {
      await client.end();
    }
  },
  mongo: (url) =>
    withMongo(url, async (client) => {
      const hello = await client.db('admin').command({ hello: 1 });
      if (hello.isWritablePrimary !== true) throw new Error('no primary yet');
    }),
  rabbitmq: (url) => amqpHandshake(new URL(url)),
};

const POLL_MS = 100;

/** Asks until the store answers; gives up at the bound, or at once when `abandoned` rejects. */
export async function untilItAnswers(
  ask: () => Promise<void>,
  { boundMs, abandoned }: { boundMs: number; abandoned?: AbortSignal },
): Promise<void> {
  const giveUpAt = performance.now() + boundMs;
  for (;;) {
    abandoned?.throwIfAborted();
    try {
      await ask();
      return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await pause(POLL_MS);
  }
}

const NOT_YET_INITIALIZED = 94;

/**
 * Makes a lone mongod the primary of a replica set of one, which transactions need. `host` is how the node reaches
 * itself; it is corrected when the node comes back on another port.
 */
export async function becomePrimary(url: string, host: string): Promise<void> {
  await withMongo(url, async (client) => {
    const admin = client.db('admin');
    try {
      const { config } = await admin.command({ replSetGetConfig: 1 });
      if (config.members[0].host === host) return;
      config.members[0].host = host;
      config.version += 1;
      await admin.command({ replSetReconfig: config, force: true });
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== NOT_YET_INITIALIZED) throw error;
      await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
    }
  });
}

async function withMongo(url: string, work: (client: MongoClient) => Promise<void>): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 2_000 });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.close();
  }
}

/** RabbitMQ opens its port last; a broker that is up answers the protocol header with a method frame (type 1). */
function amqpHandshake(url: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: url.hostname, port: Number(url.port || 5672), timeout: 2_000 });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(reason));
    };
    socket.once('connect', () => socket.write(Buffer.from('AMQP\u0000\u0000\u0009\u0001', 'latin1')));
    socket.once('data', (reply) => {
      if (reply[0] !== 1) return fail('something else than a broker answers there');
      socket.destroy();
      resolve();
    });
    socket.once('error', (error) => fail(error.message));
    socket.once('timeout', () => fail('no answer'));
    socket.once('close', () => fail('closed without an answer'));
  });
}
