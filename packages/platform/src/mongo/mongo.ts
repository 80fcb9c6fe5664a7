/** MongoDB: one connection per service that fails fast, and transactions. */
import mongoose from 'mongoose';
import { serviceUnavailable } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { withinBudget } from './mongo-faults.ts';

export type Mongo = AsyncDisposable & {
  readonly connection: mongoose.Connection;
  /** `work` may run more than once when writers meet, so it has no other effects. Give its session to every call. */
  readonly transaction: <T>(work: (session: mongoose.ClientSession) => Promise<T>) => Promise<T>;
  readonly healthy: () => Promise<boolean>;
};

/** Decision 23, deadlines and outages: a call to a store may take two seconds. */
const TIMEOUT_MS = 2_000;

/** Connects, so that a wrong address shows at start; later outages are survived by the driver. */
export async function openMongo(o: {
  url: string;
  logger: Logger;
  metrics: Metrics;
  /** For calls that may take minutes, such as reading everything: that the server has gone silent is told by heartbeats alone. */
  patient?: boolean;
}): Promise<Mongo> {
  // Settings belong to this instance and not to the library, so that services in one test process do not meet.
  const instance = new mongoose.Mongoose({
    bufferCommands: false,
    strictQuery: true,
    // Operators in values from outside never reach a filter.
    sanitizeFilter: true,
    // Indexes are created by the service when it starts, not by the first query.
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
    transaction: (work) => connection.withSession((session) => session.withTransaction(() => work(session))),
    healthy: () =>
      ping(connection).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => {
      // Asked for, so nothing to warn of.
      connection.off('disconnected', onDisconnected);
      return connection.close();
    },
  };
}

async function ping(connection: mongoose.Connection): Promise<void> {
  if (connection.db === undefined) throw serviceUnavailable('mongo: not connected');
  await connection.db.command({ ping: 1 }, withinBudget());
}
