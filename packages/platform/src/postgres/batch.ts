/** Several statements in one message, which the driver leaves to its users, and which statements those are. */
import pg from 'pg';

/** The driver's own query, which sends one statement and reads its result. Its types leave these methods out. */
type Query = {
  readonly name: string | undefined;
  readonly text: string;
  readonly prepare: (connection: pg.Connection) => void;
  readonly handleRowDescription: (message: unknown) => void;
  readonly handleDataRow: (message: unknown) => void;
  readonly handleCommandComplete: (message: unknown, connection: pg.Connection) => void;
  readonly handleReadyForQuery: (connection: pg.Connection) => void;
};
type Connection = pg.Connection & { readonly submittedNamedStatements: Record<string, string> };

/**
 * Statements that are sent in one message and answered in one. After a statement that fails the server runs none of those that follow, so
 * `BEGIN` may be the first and `COMMIT` the last. The driver calls these methods.
 */
export class Batch implements pg.Submittable {
  /** The driver wraps it in its time-out. */
  readonly callback: (error: Error | null) => void;
  readonly #queries: readonly Query[];
  /** Of a value that could not be sent, or of a row that could not be read. */
  #error: Error | null = null;
  #running = 0;

  /** @param callback gets the rows of each statement */
  constructor(
    statements: readonly pg.QueryConfig[],
    callback: (error: Error | null, rows: readonly pg.QueryResultRow[][]) => void,
  ) {
    const rows: pg.QueryResultRow[][] = [];
    this.callback = (error) => callback(error, rows);
    this.#queries = statements.map((statement, place) => {
      const query = new pg.Query(statement, (error, result) => {
        if (error) this.#error ??= error;
        else rows[place] = result.rows;
      });
      return query as unknown as Query;
    });
  }

  /** The driver remembers under this name what the server has parsed, and reads it for each message of the server. */
  get name(): string | undefined {
    return this.#queries[this.#running]?.name;
  }

  get text(): string {
    return this.#queries[this.#running]?.text ?? '';
  }

  submit(connection: pg.Connection): void {
    const none = { value: () => {} };
    // One sync at the end: at each sync the server would continue after an error. And a value that cannot be sent is no reason to forget
    // the prepared statement.
    const part = Object.create(connection, { sync: none, close: none }) as pg.Connection;
    connection.stream.cork();
    try {
      for (const query of this.#queries) {
        query.prepare(part);
        if (this.#error !== null) break;
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#running]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#running]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.#queries[this.#running]?.handleCommandComplete(message, connection);
    this.#running += 1;
  }

  handleError(error: Error, connection: Connection): void {
    // The server has not parsed the statements after the failed one.
    for (const { name } of this.#queries.slice(this.#running + 1))
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    this.callback(error);
  }

  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.#queries.slice(0, this.#running)) query.handleReadyForQuery(connection);
    this.callback(this.#error);
  }
}

type Rows = pg.QueryResultRow[];
type Unsent = { readonly statement: pg.QueryConfig; readonly asked?: PromiseWithResolvers<Rows> };

/**
 * Collects the statements of one connection, so that those that are asked for at once are sent by one call of `sendAll`: one message.
 * @param sendAll returns the rows of each statement, and fails if one of them fails
 */
export function collectStatements(
  sendAll: (statements: readonly pg.QueryConfig[]) => Promise<readonly Rows[]>,
): {
  readonly query: (statement: pg.QueryConfig) => Promise<Rows>;
  /** Waits for the next `query` or `flush`, which fails if this statement fails. */
  readonly queryLater: (statement: pg.QueryConfig) => void;
  readonly flush: () => Promise<void>;
} {
  let unsent: Unsent[] = [];
  const flush = async () => {
    const sent = unsent;
    unsent = [];
    if (sent.length === 0) return;
    try {
      const rows = await sendAll(sent.map(({ statement }) => statement));
      for (const [place, { asked }] of sent.entries()) asked?.resolve(rows[place] ?? []);
    } catch (error) {
      for (const { asked } of sent) asked?.reject(error);
      throw error;
    }
  };
  return {
    query: (statement) => {
      const asked = Promise.withResolvers<Rows>();
      // Those who asked get the error.
      if (unsent.every((one) => one.asked === undefined)) queueMicrotask(() => void flush().catch(() => {}));
      unsent.push({ statement, asked });
      return asked.promise;
    },
    queryLater: (statement) => void unsent.push({ statement }),
    flush,
  };
}
