/** MongoDB: one connection per service with short time-outs, and transactions. */
import mongoose from 'mongoose';
import { serviceUnavailable } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { orUnavailable, withinBudget } from './mongo-faults.ts';

export type Mongo = AsyncDisposable & {
  readonly connection: mongoose.Connection;
  /**
   * `work` may run more than once after write conflicts, so it must have no other effects. Pass its session to every call.
   * @throws {Fault} 503 when the store is away
   */
  readonly transaction: <T>(work: (session: mongoose.ClientSession) => Promise<T>) => Promise<T>;
  readonly healthy: () => Promise<boolean>;
};

/** Decision 23, deadlines and outages: a call to a store may take two seconds. */
const TIMEOUT_MS = 2_000;

/** Connects, so that a wrong address is noticed at start. The driver reconnects after later outages. */
export async function openMongo(o: {
  url: string;
  logger: Logger;
  metrics: Metrics;
  /** For calls that may take minutes, such as reading everything: only heartbeats detect a silent server. */
  patient?: boolean;
}): Promise<Mongo> {
  // A separate instance, so that services in one test process do not share settings.
  const instance = new mongoose.Mongoose({
    bufferCommands: false,
    strictQuery: true,
    // Removes query operators from values that come from outside.
    sanitizeFilter: true,
    // The service creates indexes at its start, not the first query.
    autoIndex: false,
    autoCreate: false,
  });
  const connection = instance.createConnection(o.url, {
    serverSelectionTimeoutMS: TIMEOUT_MS,
    connectTimeoutMS: TIMEOUT_MS,
    socketTimeoutMS: o.patient === true ? 0 : 5 * TIMEOUT_MS,
  });
  connection.on('error', (error) => o.logger.warn({ error }, 'mongo connection failed'));
  const onDisconnected = () => o.logger.warn('mongo disconnected');
  connection.on('disconnected', onDisconnected);
  connection.on('reconnected', () => o.logger.info('mongo reconnected'));
  await connection.asPromise().catch((error: unknown) => {
    throw serviceUnavailable('mongo: cannot connect', error);
  });
  return {
    connection,
    transaction: (work) =>
      orUnavailable(connection.withSession((session) => session.withTransaction(() => work(session)))),
    healthy: () =>
      ping(connection).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => {
      // An intended disconnect needs no warning.
      connection.off('disconnected', onDisconnected);
      return connection.close();
    },
  };
}

async function ping(connection: mongoose.Connection): Promise<void> {
  if (connection.db === undefined) throw serviceUnavailable('mongo: not connected');
  await connection.db.command({ ping: 1 }, withinBudget());
}
