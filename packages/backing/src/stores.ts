/** The four backing services, and how to find out whether one is up. */
import { connect as connectTcp } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';
import pg from 'pg';

export const stores = ['postgres', 'mongo', 'rabbitmq', 'valkey'] as const;
export type Store = (typeof stores)[number];

export const storeTitles: Record<Store, string> = {
  postgres: 'Postgres',
  mongo: 'MongoDB',
  rabbitmq: 'RabbitMQ',
  valkey: 'Valkey',
};

/** A running store. `stop` does nothing if it was not started here. */
export type RunningStore = { readonly url: string; readonly stop: () => Promise<void> };

/** One try each: rejects while the store is not up. */
export const answers: Record<Store, (url: string) => Promise<void>> = {
  postgres: async (url) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    // A connection that a starting server drops also emits this event; the rejection below is enough.
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
  // RabbitMQ opens its port last. When it is up, it answers the protocol header with a method frame (type 1).
  rabbitmq: (url) =>
    exchange(new URL(url), {
      port: 5672,
      send: 'AMQP\u0000\u0000\u0009\u0001',
      isAnswer: (reply) => reply[0] === 1,
    }),
  // A server that asks for a password is up too.
  valkey: (url) =>
    exchange(new URL(url), {
      port: 6379,
      send: 'PING\r\n',
      isAnswer: (reply) => /^(\+PONG|-NOAUTH)/.test(reply.toString('latin1')),
    }),
};

const POLL_MS = 100;

/** Asks until the store answers. Fails after `boundMs`, or at once when `abandoned` aborts. */
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
 * Makes a single mongod the primary of a replica set of one, because transactions need a replica set. `host` is the address at which
 * the node reaches itself; it is changed when the node starts on another port.
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

/** Sends the first bytes of a protocol and checks the answer. */
function exchange(
  url: URL,
  o: { port: number; send: string; isAnswer: (reply: Buffer) => boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: url.hostname, port: Number(url.port || o.port), timeout: 2_000 });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(reason));
    };
    socket.once('connect', () => socket.write(Buffer.from(o.send, 'latin1')));
    socket.once('data', (reply) => {
      if (!o.isAnswer(reply)) return fail('something else answers there');
      socket.destroy();
      resolve();
    });
    socket.once('error', (error) => fail(error.message));
    socket.once('timeout', () => fail('no answer'));
    socket.once('close', () => fail('closed without an answer'));
  });
}
