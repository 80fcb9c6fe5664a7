/** PostgreSQL: a pool with time-outs, transactions, and rows in exact types. */
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Deadline } from '../calls/deadline.ts';
import { Fault, serviceUnavailable } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createStoreClock, type StoreClock } from './store-clock.ts';

/**
 * One that each connection has the server parse once, and plan a few times only: for statements whose planning costs more than
 * their work. It names its columns one by one: `*` would fail when a migration adds one.
 */
export type PreparedStatement = {
  /** Unique within the service. */
  readonly name: string;
  readonly sql: string;
};

export function sqlOf(statement: string | PreparedStatement): string {
  return typeof statement === 'string' ? statement : statement.sql;
}

export type Transaction = {
  readonly query: <R extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ) => Promise<R[]>;
  /** Has the topic told to the listeners of `Postgres.committed` once this has committed. Absent where each statement commits by itself. */
  readonly tellAfterCommit?: (topic: string) => void;
};

/** Stores whose statements may stand alone take this. */
export type Queryable = Transaction;

export type Postgres = AsyncDisposable &
  Transaction & {
    readonly pool: pg.Pool;
    /**
     * Commits what `work` did, or nothing when it throws. No network call belongs inside.
     * @param deadline nothing is committed after it, by the database's clock (docs/adr/0020)
     */
    readonly transaction: <T>(work: (tx: Transaction) => Promise<T>, deadline?: Deadline) => Promise<T>;
    /**
     * For a statement that changes something and stands alone: the instant, on the database's clock, from which it must change nothing any
     * more. Null without a deadline.
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
/** The client gives up a little after the server would have, for when the server has gone silent. */
const SILENT_SERVER_GRACE_MS = 1_000;
/** A process that is merely busy may take this long between two statements. */
const IDLE_AT_LEAST_MS = 2_000;
/** Above the outbox relay's wait for confirms, the only work that leaves a transaction idle on purpose. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** Connects, so that a wrong address shows at start; later outages are survived by the pool. */
export async function openPostgres(o: {
  url: string;
  logger: Logger;
  metrics: Metrics;
  /** Tells the pools of a service that has several apart in its metrics. */
  pool?: string;
  maxConnections?: number;
  /** Where it is longer than usual, a connection may take as long. */
  statementTimeoutMs?: number;
}): Promise<Postgres> {
  const statementTimeoutMs = o.statementTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  const size = o.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const pool = new pg.Pool({
    connectionString: o.url,
    max: size,
    connectionTimeoutMillis: Math.max(DEFAULT_TIMEOUT_MS, statementTimeoutMs),
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENT_SERVER_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types: { getTypeParser: exactTypeParser },
  });
  pool.on('error', (error) => o.logger.warn({ error }, 'an idle database connection was lost'));
  reportPool(pool, { name: o.pool ?? 'main', size, metrics: o.metrics });
  const clock = createStoreClock();
  const committed = new EventEmitter();
  const postgres: Postgres = {
    pool,
    clock,
    committed,
    query: (statement, values) => rowsOf(pool, statement, values),
    transaction: (work, deadline) => inTransaction({ pool, clock, committed }, work, deadline),
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
  } catch (error) {
    await pool.end();
    throw error;
  }
  return postgres;
}

async function inTransaction<T>(
  { pool, clock, committed }: Pick<Postgres, 'pool' | 'clock' | 'committed'>,
  work: (tx: Transaction) => Promise<T>,
  deadline: Deadline | undefined,
): Promise<T> {
  if (deadline?.remainingMs() === 0)
    throw asFault(new TooLate('the deadline has passed before the transaction'));
  const client = await pool.connect().catch((error: unknown) => {
    throw asFault(error);
  });
  let lost: Error | undefined;
  const onLost = (error: Error) => {
    lost ??= error;
  };
  // Without a listener a connection that dies between two statements would end the process.
  client.on('error', onLost);
  const topics = new Set<string>();
  const tx: Transaction = {
    query: (statement, values) => rowsOf(client, statement, values),
    tellAfterCommit: (topic) => void topics.add(topic),
  };
  let broken: Error | undefined;
  try {
    const commitByMs = await begin(client, clock, deadline);
    const result = await work(tx);
    await tx.query(commitByMs === undefined ? 'COMMIT' : commitBefore(commitByMs));
    for (const topic of topics) committed.emit(topic);
    return result;
  } catch (error) {
    broken = await tx.query('ROLLBACK').then(() => undefined, asError);
    // The server ended the transaction while it waited for us: whatever was sent after that did nothing.
    throw lost !== undefined && isTooLate(asFault(lost)) ? asFault(lost) : error;
  } finally {
    client.off('error', onLost);
    // A connection that could not even roll back must not serve anybody else.
    client.release(broken);
  }
}

const SHOW_TIME = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "shownMs"';
type Shown = { readonly shownMs: number };

async function askTime(pool: pg.Pool, clock: StoreClock): Promise<void> {
  const [row] = await rowsOf<Shown>(pool, SHOW_TIME);
  if (row !== undefined) clock.note(row.shownMs);
}

/** @returns by when, on the database's clock, the transaction must be committed; undefined without a deadline */
async function begin(
  client: pg.ClientBase,
  clock: StoreClock,
  deadline: Deadline | undefined,
): Promise<number | undefined> {
  const ask = (sql: string) =>
    client.query(sql).catch((error: unknown) => {
      throw asFault(error);
    });
  if (deadline === undefined) return void (await ask('BEGIN'));
  const bound = `SET LOCAL idle_in_transaction_session_timeout = ${longestIdleMs(deadline)}`;
  const shown = await ask(`BEGIN; ${bound}; ${SHOW_TIME}`);
  const [row] = (shown as unknown as pg.QueryResult<Shown>[]).at(-1)?.rows ?? [];
  if (row === undefined) throw new Error('the database did not show its time');
  clock.note(row.shownMs);
  // The answer is older than this line, so what remains now ends sooner by it than by the database's present time.
  return Math.floor(Math.min(row.shownMs + deadline.remainingMs(), deadline.commitByMs ?? Infinity));
}

/** While its process stands still, the locks of a transaction are held no longer than this: others may want them. */
function longestIdleMs(deadline: Deadline): number {
  return Math.min(Math.max(IDLE_AT_LEAST_MS, Math.ceil(deadline.remainingMs())), IDLE_IN_TRANSACTION_MS);
}

/** Check and commit in one message: a process that stands still can stand still before both or after both. */
function commitBefore(limitMs: number): string {
  return `DO $$BEGIN
      IF clock_timestamp() >= to_timestamp(${limitMs / 1_000}) THEN
        RAISE EXCEPTION 'the deadline has passed' USING ERRCODE = '${TOO_LATE}';
      END IF;
    END$$; COMMIT`;
}

/** What is known of the store's clock is never ahead of it, so this instant is never later than the deadline. */
function commitBy(clock: StoreClock, deadline: Deadline | undefined): Date | null {
  if (deadline === undefined) return null;
  if (deadline.remainingMs() === 0)
    throw asFault(new TooLate('the deadline has passed before the statement'));
  const nowMs = clock.nowMs();
  if (nowMs === undefined) throw new Error('the database has not shown its time');
  return new Date(Math.floor(Math.min(nowMs + deadline.remainingMs(), deadline.commitByMs ?? Infinity)));
}

class TooLate extends Error {}

/** The transaction met its deadline before its commit: it has changed nothing. */
export function isTooLate(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof TooLate;
}

async function rowsOf<R extends pg.QueryResultRow>(
  on: pg.Pool | pg.ClientBase,
  statement: string | PreparedStatement,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const name = typeof statement === 'string' ? {} : { name: statement.name };
  try {
    return (await on.query<R>({ ...name, text: sqlOf(statement), values: [...values] })).rows;
  } catch (error) {
    throw asFault(error);
  }
}

/** Raised by `commitBefore`, and by a statement that stands alone when it finds itself later than `commitBy` says. */
export const TOO_LATE = '57D01';
/** Raised by the server when it ends a transaction that was idle for too long. */
const IDLE_FOR_TOO_LONG = '25P03';

/**
 * SQLSTATE classes by which the server says that it cannot serve now: connection, resources, operator, system; and 25006, by which one
 * that is no primary any more refuses to write.
 */
const UNAVAILABLE = /^(08|53|57|58|25006)/;

/** What the server says about the statement stays as it is (constraints have meaning); all else means "down". */
function asFault(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && [TOO_LATE, IDLE_FOR_TOO_LONG].includes(error.code ?? ''))
    return asFault(new TooLate(error.message));
  if (error instanceof pg.DatabaseError && !UNAVAILABLE.test(error.code ?? '')) return error;
  return serviceUnavailable(`postgres: ${asError(error).message}`, error);
}

/** Identifiers and money are `bigint`; a calendar day stays `YYYY-MM-DD`, it has no instant. */
export const exactTypeParser: typeof pg.types.getTypeParser = (type, format) => {
  if (type === pg.types.builtins.INT8) return BigInt;
  if (type === pg.types.builtins.DATE) return (day: string) => day;
  return pg.types.getTypeParser(type, format);
};

/** Read at every scrape: a pool that is stuck tells nothing by itself. */
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
