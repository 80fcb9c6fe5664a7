/** PostgreSQL: a pool with time-outs, transactions, and rows in exact types. */
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Deadline } from '../calls/deadline.ts';
import { Fault, serviceUnavailable } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { traceCall } from '../telemetry/traces.ts';
import { Batch, collectStatements } from './batch.ts';
import { CopyIn } from './copy-in.ts';
import { addressThrough, type ConnectionSettings, checkPooler } from './pgbouncer.ts';
import { createStoreClock, type StoreClock } from './store-clock.ts';

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
  /** In a transaction, statements that are asked for at once, as in a `Promise.all`, are sent in one message, in their order. */
  readonly query: <R extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ) => Promise<R[]>;
  /** Emits the topic on `Postgres.committed` after the commit; at once where each statement commits by itself. */
  readonly tellAfterCommit?: (topic: string) => void;
};

export type Transaction = Queryable & {
  /**
   * For a statement whose rows nobody needs: it is sent in one message with the next query of the transaction, or with its commit. If it
   * fails, these fail with its error.
   */
  readonly queryLater: (statement: string | PreparedStatement, values?: readonly unknown[]) => void;
};

export type Postgres = AsyncDisposable &
  Queryable & {
    readonly pool: pg.Pool;
    /**
     * Commits the changes of `work`; rolls back when it throws, or when a statement has failed, also if `work` has caught its error. `work`
     * makes no network calls.
     * @param deadline nothing is committed after it, on the database's clock (docs/adr/0020)
     */
    readonly transaction: <T>(work: (tx: Transaction) => Promise<T>, deadline?: Deadline) => Promise<T>;
    /** Adds rows by `COPY ... FROM STDIN`, all of them or none. `rows` is in the format that the statement names. */
    readonly copyIn: (statement: string, rows: string) => Promise<void>;
    /**
     * For a changing statement outside of a transaction: the instant on the database's clock after which it must change nothing. Null
     * without a deadline.
     * @throws the 503 fault when the deadline has passed
     */
    readonly commitBy: (deadline: Deadline | undefined) => Date | null;
    /** Emits the topics of transactions that this process has committed. A process that dies after its commit emits nothing. */
    readonly committed: EventEmitter;
    /** The database's clock. */
    readonly clock: StoreClock;
    readonly healthy: () => Promise<boolean>;
  };

/** Decision 23, deadlines and outages: a call to a store may take two seconds. */
const DEFAULT_TIMEOUT_MS = 2_000;
const DEFAULT_MAX_CONNECTIONS = 10;
/** The client waits a little longer than the server's own time-out, and gives up when the server is silent. */
const SILENT_SERVER_GRACE_MS = 1_000;
/** A busy process may take this long between two statements. */
const IDLE_AT_LEAST_MS = 2_000;
/** Longer than the outbox relay waits for confirms. Only the relay leaves a transaction idle on purpose. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/**
 * A statement of a service reads few rows. In a large table Postgres expects more of them, and would start processes to read them, which
 * takes 6 ms and longer on busy cores.
 */
const NO_PARALLEL_WORKERS = 0;
/** The driver has options of its own for the time-outs, and none for this. */
const parallel = 'max_parallel_workers_per_gather';

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
  /** Host and port of PgBouncer, which is then called instead of the host and port of `url` (docs/adr/0033). */
  pgbouncer?: string | undefined;
}): Promise<Postgres> {
  const statementTimeoutMs = o.statementTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  const size = o.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const settings: ConnectionSettings = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    [parallel]: NO_PARALLEL_WORKERS,
  };
  const { pgbouncer } = o;
  const pool = new pg.Pool({
    connectionString: pgbouncer === undefined ? o.url : addressThrough(pgbouncer, o.url),
    max: size,
    connectionTimeoutMillis: Math.max(DEFAULT_TIMEOUT_MS, statementTimeoutMs),
    // PgBouncer refuses them here, and sets them itself.
    ...(pgbouncer === undefined && { ...settings, options: `-c ${parallel}=${settings[parallel]}` }),
    query_timeout: statementTimeoutMs + SILENT_SERVER_GRACE_MS,
    keepAlive: true,
    types: { getTypeParser: exactTypeParser },
  });
  pool.on('error', (error) => o.logger.warn({ error }, 'an idle database connection was lost'));
  reportPool(pool, { name: o.pool ?? 'main', size, metrics: o.metrics });
  const clock = createStoreClock();
  const committed = new EventEmitter();
  let keepsNames = true;
  const named = (statement: string | PreparedStatement) => (keepsNames ? statement : sqlOf(statement));
  const postgres: Postgres = {
    pool,
    clock,
    committed,
    query: (statement, values) => onItsOwn(pool, (client) => rowsOf(client, named(statement), values)),
    tellAfterCommit: (topic) => void committed.emit(topic),
    transaction: (work, deadline) =>
      inTransaction({ pool, clock, committed, named, isPooled: pgbouncer !== undefined }, work, deadline),
    copyIn: (statement, rows) => onItsOwn(pool, (client) => copyRows(client, statement, rows)),
    commitBy: (deadline) => commitBy(clock, deadline),
    healthy: () =>
      askTime(pool, clock).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => pool.end(),
  };
  try {
    await askTime(pool, clock);
    if (pgbouncer !== undefined) ({ keepsNames } = await checkPooler(postgres, settings));
    if (!keepsNames)
      o.logger.warn({ pgbouncer }, 'PgBouncer keeps no prepared statements, so each is parsed anew');
  } catch (error) {
    await pool.end();
    throw error;
  }
  return postgres;
}

async function inTransaction<T>(
  {
    pool,
    clock,
    committed,
    named,
    isPooled,
  }: Pick<Postgres, 'pool' | 'clock' | 'committed'> & {
    readonly isPooled: boolean;
    readonly named: (statement: string | PreparedStatement) => string | PreparedStatement;
  },
  work: (tx: Transaction) => Promise<T>,
  deadline: Deadline | undefined,
): Promise<T> {
  if (deadline?.remainingMs() === 0)
    throw asFault(new TooLate('the deadline has passed before the transaction'));
  const client = await connect(pool);
  let lost: Error | undefined;
  const onLost = (error: Error) => {
    lost ??= error;
  };
  // Without a listener a connection loss between two statements would end the process.
  client.on('error', onLost);
  const topics = new Set<string>();
  const statements = collectStatements((together) => rowsOfAll(client, together, isPooled));
  const { query, queryLater } = statements;
  const tx: Transaction = {
    query: async <R extends pg.QueryResultRow>(
      sql: string | PreparedStatement,
      values?: readonly unknown[],
    ) => (await query(statementOf(named(sql), values))) as R[],
    queryLater: (sql, values) => queryLater(statementOf(named(sql), values)),
    tellAfterCommit: (topic) => void topics.add(topic),
  };
  let broken: Error | undefined;
  try {
    queryLater(BEGIN);
    if (deadline !== undefined) queryLater(boundOfIdleTime(deadline));
    const working = work(tx);
    // Asked for at once with the first statement of `work`, and answered after it.
    const commitByMs =
      deadline && tx.query<Shown>(SHOW_TIME).then(([shown]) => commitInstant(clock, deadline, shown));
    commitByMs?.catch(() => {});
    const result = await working;
    const sent = commitByMs === undefined ? query(COMMIT) : statements.flush();
    statements.close();
    await sent;
    if (commitByMs !== undefined) await rowsOf(client, commitBefore(await commitByMs));
    for (const topic of topics) committed.emit(topic);
    return result;
  } catch (error) {
    statements.abort(error);
    broken = await rowsOf(client, 'ROLLBACK').then(() => undefined, asError);
    // The server ended the idle transaction: later statements had no effect.
    throw lost !== undefined && isTooLate(asFault(lost)) ? asFault(lost) : error;
  } finally {
    client.off('error', onLost);
    // A connection that could not roll back is destroyed.
    client.release(broken);
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw asFault(error);
  });
}

/** SQLSTATE of a statement that gave up because a lock was not free within `lock_timeout`. */
const LOCK_NOT_FREE = '55P03';

/** Whether a statement changed nothing because another transaction held a lock for longer than its `lock_timeout`. */
export function isBlocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_FREE;
}

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
    // A statement that came too late has taken itself back; the connection can serve the next.
    broken = !(
      isTooLate(error) ||
      (error instanceof pg.DatabaseError && CONNECTION_IS_FINE.test(error.code ?? ''))
    );
    throw error;
  } finally {
    client.off('error', statementFailsToo);
    client.release(broken);
  }
}

/** Without a listener a connection loss would end the process. */
function statementFailsToo(): void {}

const SHOW_TIME = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "shownMs"';
type Shown = { readonly shownMs: number };

async function askTime(pool: pg.Pool, clock: StoreClock): Promise<void> {
  const [row] = await onItsOwn(pool, (client) => rowsOf<Shown>(client, SHOW_TIME));
  if (row !== undefined) clock.note(row.shownMs);
}

const BEGIN = { text: 'BEGIN' };
const COMMIT = { text: 'COMMIT' };

/** By when, in Unix milliseconds of the database's clock, a transaction with this deadline must be committed. */
function commitInstant(clock: StoreClock, deadline: Deadline, shown: Shown | undefined): number {
  if (shown === undefined) throw new Error('the database did not show its time');
  clock.note(shown.shownMs);
  // The shown time is a little old, so the computed instant is too early rather than too late.
  return Math.floor(Math.min(shown.shownMs + deadline.remainingMs(), deadline.commitByMs ?? Infinity));
}

/** While the process is paused, its transaction holds locks no longer than this. */
function boundOfIdleTime(deadline: Deadline): pg.QueryConfig {
  const longestMs = Math.min(
    Math.max(IDLE_AT_LEAST_MS, Math.ceil(deadline.remainingMs())),
    IDLE_IN_TRANSACTION_MS,
  );
  return { text: `SET LOCAL idle_in_transaction_session_timeout = ${longestMs}` };
}

/** Check and commit in one message, so that a pause of the process cannot fall between them. */
function commitBefore(limitMs: number): string {
  return `DO $$BEGIN
      IF clock_timestamp() >= to_timestamp(${limitMs / 1_000}) THEN
        RAISE EXCEPTION 'the deadline has passed' USING ERRCODE = '${TOO_LATE}';
      END IF;
    END$$; COMMIT`;
}

/** The estimate of the store's clock is never ahead of it, so this instant is never later than the deadline. */
function commitBy(clock: StoreClock, deadline: Deadline | undefined): Date | null {
  if (deadline === undefined) return null;
  if (deadline.remainingMs() === 0)
    throw asFault(new TooLate('the deadline has passed before the statement'));
  const nowMs = clock.nowMs();
  if (nowMs === undefined) throw new Error('the database has not shown its time');
  return new Date(Math.floor(Math.min(nowMs + deadline.remainingMs(), deadline.commitByMs ?? Infinity)));
}

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
    return (await traced([statement], () => on.query<R>(statement))).rows;
  } catch (error) {
    throw asFault(error);
  }
}

/** Sends the statements in one message. */
async function rowsOfAll(
  on: pg.ClientBase,
  statements: readonly pg.QueryConfig[],
  isPooled: boolean,
): Promise<readonly pg.QueryResultRow[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly pg.QueryResultRow[][]>();
  const types = { getTypeParser: exactTypeParser };
  const typed = statements.map((statement) => ({ ...statement, types }));
  const answer = (error: Error | null, rows: readonly pg.QueryResultRow[][]) =>
    error === null ? resolve(rows) : reject(asFault(error));
  return traced(statements, () => {
    on.query(new Batch(typed, answer, isPooled));
    return promise;
  });
}

/** A span around one message, with the statements as they are in the code: without their values, which may be personal. */
function traced<T>(statements: readonly pg.QueryConfig[], send: () => Promise<T>): Promise<T> {
  return traceCall('postgresql', send, () => ({
    'db.system.name': 'postgresql',
    'db.query.text': statements.map(({ text }) => text).join('; '),
  }));
}

async function copyRows(client: pg.ClientBase, statement: string, rows: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const copy = new CopyIn(statement, rows, (error) => (error === null ? resolve() : reject(asFault(error))));
  return traced([{ text: statement }], () => {
    client.query(copy);
    return promise;
  });
}

/** Raised by `commitBefore`, and by single statements that run later than `commitBy` allows. */
export const TOO_LATE = '57D01';
/** SQLSTATE of a transaction that the server ended because it was idle for too long. */
const IDLE_FOR_TOO_LONG = '25P03';

/**
 * SQLSTATE classes of an unavailable server: connection, resources, operator intervention, system error; and 25006, with which a server
 * that is no longer the primary refuses to write.
 */
const UNAVAILABLE = /^(08|53|57|58|25006)/;

/** Errors about the statement are passed on unchanged (constraints have meaning); all others mean "unavailable". */
function asFault(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && [TOO_LATE, IDLE_FOR_TOO_LONG].includes(error.code ?? ''))
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
