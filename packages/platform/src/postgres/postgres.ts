/** PostgreSQL: a pool with time-outs, transactions, and rows in exact types. */
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Deadline } from '../calls/deadline.ts';
import { Fault, serviceUnavailable } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/**
 * A statement that the server parses once per connection and plans only a few times: for statements whose planning costs more than their
 * execution. List the columns one by one: `*` would fail when a migration adds one.
 */
export type PreparedStatement = {
  /** Unique within the service. */
  readonly name: string;
  readonly sql: string;
};

export function sqlOf(statement: string | PreparedStatement): string {
  return typeof statement === 'string' ? statement : statement.sql;
}

/** A transaction, or a pool on which each statement commits by itself. */
export type Queryable = {
  /** In a transaction, statements run one after the other, in the order in which they are asked for. */
  readonly query: <R extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ) => Promise<R[]>;
  /** Emits the topic on `Postgres.committed` after the commit; at once where each statement commits by itself. */
  readonly tellAfterCommit?: (topic: string) => void;
};

/** All its statements are committed together, or none. */
export type Transaction = Queryable;

export type Postgres = AsyncDisposable &
  Queryable & {
    readonly pool: pg.Pool;
    /**
     * Commits the changes of `work`; rolls back when it throws, or when a statement has failed, also if `work` has caught its error. `work`
     * makes no network calls.
     * @param deadline nothing is committed after it, nor after its caller has left (docs/adr/0020)
     */
    readonly transaction: <T>(work: (tx: Transaction) => Promise<T>, deadline?: Deadline) => Promise<T>;
    /** Emits the topics of transactions that this process has committed. A process that dies after its commit emits nothing. */
    readonly committed: EventEmitter;
    readonly healthy: () => Promise<boolean>;
  };

/** Decision 23, deadlines and outages: a call to a store may take two seconds. */
const DEFAULT_TIMEOUT_MS = 2_000;
const DEFAULT_MAX_CONNECTIONS = 10;
/** The client waits a little longer than the server's own time-out, and gives up when the server is silent. */
const SILENT_SERVER_GRACE_MS = 1_000;
/** The last net, for transactions without a deadline. Longer than the outbox relay waits for confirms. Only the relay leaves a transaction idle on purpose. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/**
 * A statement of a service reads few rows. In a large table Postgres expects more of them, and would start processes to read them, which
 * takes 6 ms and longer on busy cores.
 */
const NO_PARALLEL_WORKERS = 0;
/** The first with `transaction_timeout`. */
const OLDEST_VERSION = 17;

/** Connects, so that a wrong address is noticed at start. The pool reconnects after later outages. */
export async function openPostgres(o: {
  url: string;
  logger: Logger;
  metrics: Metrics;
  /** Name in metrics, for services with several pools. */
  pool?: string;
  maxConnections?: number;
  /** A value above the default also applies to connecting. */
  statementTimeoutMs?: number;
  /**
   * Plans a statement once for a connection, whatever its values are: for a pool whose statements all read by unique keys. Postgres itself
   * would plan a look-up by a list of keys each time, because it expects ten keys in a list that it does not know.
   */
  plansOnce?: boolean;
}): Promise<Postgres> {
  const statementTimeoutMs = o.statementTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  const size = o.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const pool = new pg.Pool({
    connectionString: o.url,
    max: size,
    connectionTimeoutMillis: Math.max(DEFAULT_TIMEOUT_MS, statementTimeoutMs),
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // The driver has options of its own for the time-outs, and none for this.
    options: [
      `-c max_parallel_workers_per_gather=${NO_PARALLEL_WORKERS}`,
      ...(o.plansOnce === true ? ['-c plan_cache_mode=force_generic_plan'] : []),
    ].join(' '),
    query_timeout: statementTimeoutMs + SILENT_SERVER_GRACE_MS,
    keepAlive: true,
    types: { getTypeParser: exactTypeParser },
  });
  pool.on('error', (error) => o.logger.warn({ error }, 'an idle database connection was lost'));
  reportPool(pool, { name: o.pool ?? 'main', size, metrics: o.metrics });
  const committed = new EventEmitter();
  const query: Postgres['query'] = (statement, values) =>
    onItsOwn(pool, (client) => rowsOf(client, statement, values));
  const postgres: Postgres = {
    pool,
    committed,
    query,
    tellAfterCommit: (topic) => void committed.emit(topic),
    transaction: (work, deadline) => inTransaction({ pool, committed }, work, deadline),
    healthy: () =>
      query('SELECT 1').then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => pool.end(),
  };
  try {
    await checkVersion(postgres);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return postgres;
}

export async function checkVersion(on: Queryable): Promise<void> {
  const [row] = await on.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const version = row?.version ?? '0';
  if (Number.parseInt(version, 10) < OLDEST_VERSION)
    throw new Error(`Postgres ${OLDEST_VERSION} or later is needed, and this server is ${version}`);
}

async function inTransaction<T>(
  { pool, committed }: Pick<Postgres, 'pool' | 'committed'>,
  work: (tx: Transaction) => Promise<T>,
  deadline: Deadline | undefined,
): Promise<T> {
  throwIfOver(deadline);
  const client = await connect(pool);
  let lost: Error | undefined;
  const onLost = (error: Error) => {
    lost ??= error;
  };
  // Without a listener a connection loss between two statements would end the process.
  client.on('error', onLost);
  const topics = new Set<string>();
  let hasEnded = false;
  let failed: { readonly error: unknown } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const tx: Transaction = {
    query: async <R extends pg.QueryResultRow>(
      statement: string | PreparedStatement,
      values?: readonly unknown[],
    ) => {
      if (hasEnded) throw new Error('a statement was asked for after its transaction has ended');
      const rows = last.then(() => rowsOf<R>(client, statement, values));
      last = rows.catch((error: unknown) => {
        failed ??= { error };
      });
      return rows;
    },
    tellAfterCommit: (topic) => void topics.add(topic),
  };
  let broken: Error | undefined;
  try {
    await rowsOf(client, deadline === undefined ? 'BEGIN' : beginUntil(deadline));
    const result = await work(tx);
    hasEnded = true;
    // Of statements that `work` has not waited for.
    await last;
    if (failed !== undefined) throw failed.error;
    throwIfOver(deadline);
    await rowsOf(client, 'COMMIT');
    for (const topic of topics) committed.emit(topic);
    return result;
  } catch (error) {
    hasEnded = true;
    await last;
    // After a statement that did not fail at the server, as when a value cannot be sent, the driver's state is unknown.
    broken =
      failed === undefined || failed.error instanceof pg.DatabaseError
        ? await rowsOf(client, 'ROLLBACK').then(() => undefined, asError)
        : asError(failed.error);
    // The server ended the transaction: later statements had no effect.
    throw lost !== undefined && isTooLate(asFault(lost)) ? asFault(lost) : error;
  } finally {
    client.off('error', onLost);
    // A connection that could not roll back is destroyed.
    client.release(broken);
  }
}

/** If the process stands still from here on, the server ends the transaction at the deadline, and with it the connection. */
function beginUntil(deadline: Deadline): string {
  return `BEGIN; SET LOCAL transaction_timeout = ${Math.max(1, Math.floor(deadline.remainingMs()))}`;
}

/** Before the commit, for a process that stood still before its transaction began. @throws the 503 fault */
function throwIfOver(deadline: Deadline | undefined): void {
  if (deadline?.isOver() === true)
    throw asFault(new TooLate('the deadline has passed, or the caller has left'));
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw asFault(error);
  });
}

/** SQLSTATE of a statement that gave up because a lock was not free within `lock_timeout`. */
const LOCK_NOT_FREE = '55P03';

/**
 * SQLSTATE classes of errors about values and constraints, and those that our statements raise or bound themselves. After other errors a
 * new connection may help: for example, a prepared statement is planned for the tables before a migration.
 */
const CONNECTION_IS_FINE = new RegExp(`^(22|23|OA|${LOCK_NOT_FREE})`);

/**
 * Runs one statement that commits by itself. `pool.query` would close the connection after every error, so each refusal or repeat that
 * is an error of its statement would cost a new one.
 */
async function onItsOwn<T>(pool: pg.Pool, run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  client.on('error', statementFailsToo);
  let broken = false;
  try {
    return await run(client);
  } catch (error) {
    broken = !(error instanceof pg.DatabaseError && CONNECTION_IS_FINE.test(error.code ?? ''));
    throw error;
  } finally {
    client.off('error', statementFailsToo);
    client.release(broken);
  }
}

/** Without a listener a connection loss would end the process. */
function statementFailsToo(): void {}

class TooLate extends Error {}

/** Whether the deadline passed before the commit, so that nothing was changed. */
export function isTooLate(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof TooLate;
}

function statementOf(sql: string | PreparedStatement, values: readonly unknown[] = []): pg.QueryConfig {
  const name = typeof sql === 'string' ? {} : { name: sql.name };
  return { ...name, text: sqlOf(sql), values: [...values] };
}

async function rowsOf<R extends pg.QueryResultRow>(
  on: pg.ClientBase,
  sql: string | PreparedStatement,
  values?: readonly unknown[],
): Promise<R[]> {
  try {
    const statement = statementOf(sql, values);
    return (await on.query<R>(statement)).rows;
  } catch (error) {
    throw asFault(error);
  }
}

/** SQLSTATEs of a transaction that the server has ended: at its deadline, or because it was idle for too long. */
const ENDED_BY_SERVER: ReadonlySet<string | undefined> = new Set(['25P04', '25P03']);

/**
 * SQLSTATE classes of an unavailable server: connection, resources, operator intervention, system error; and 25006, with which a server
 * that is no longer the primary refuses to write.
 */
const UNAVAILABLE = /^(08|53|57|58|25006)/;

/** Errors about the statement are passed on unchanged (constraints have meaning); all others mean "unavailable". */
export function asFault(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && ENDED_BY_SERVER.has(error.code))
    return asFault(new TooLate(error.message));
  if (error instanceof pg.DatabaseError && !UNAVAILABLE.test(error.code ?? '')) return error;
  return serviceUnavailable(`postgres: ${asError(error).message}`, error);
}

/** Identifiers and money are parsed as `bigint`. A calendar day stays the text `YYYY-MM-DD`, because it is no instant. */
export const exactTypeParser: typeof pg.types.getTypeParser = (type, format) => {
  if (type === pg.types.builtins.INT8) return BigInt;
  if (type === pg.types.builtins.DATE) return (day: string) => day;
  return pg.types.getTypeParser(type, format);
};

/** Read at every scrape, because a stuck pool emits no events. */
function reportPool(pool: pg.Pool, o: { name: string; size: number; metrics: Metrics }): void {
  const labels = { pool: o.name };
  const labelNames = ['pool'];
  const waiting = { name: 'postgres_pool_waiting', help: 'Requests that wait for a connection', labelNames };
  o.metrics.readGauge(waiting, (gauge) => gauge.set(labels, pool.waitingCount));
  const busy = { name: 'postgres_pool_busy', help: 'Connections that are in use', labelNames };
  o.metrics.readGauge(busy, (gauge) => gauge.set(labels, pool.totalCount - pool.idleCount));
  const size = { name: 'postgres_pool_size', help: 'Connections that may be in use at once', labelNames };
  o.metrics.gauge(size).set(labels, o.size);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
