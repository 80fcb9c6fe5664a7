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
type Named = Record<string, string>;
type Connection = pg.Connection & {
  readonly submittedNamedStatements: Named;
  readonly parsedStatements: Named;
};

/**
 * Statements that are sent in one message and answered in one. After a statement that fails the server runs none of those that follow, so
 * `BEGIN` may be the first and `COMMIT` the last. The driver calls these methods.
 */
export class Batch implements pg.Submittable {
  /** The driver wraps it in its time-out. */
  readonly callback: (error: Error | null) => void;
  readonly #queries: readonly Query[];
  /** Of a statement that could not be sent, or of a row that could not be read. */
  #error: Error | null = null;
  #running = 0;
  readonly #isPooled: boolean;

  /**
   * @param callback gets the rows of each statement
   * @param isPooled the server is PgBouncer
   */
  constructor(
    statements: readonly pg.QueryConfig[],
    callback: (error: Error | null, rows: readonly pg.QueryResultRow[][]) => void,
    isPooled = false,
  ) {
    this.#isPooled = isPooled;
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
        this.#error ??= errorOfName(query, connection as Connection);
        if (this.#error === null) query.prepare(part);
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

  /** Instead of the completion of a command, for a statement that contains none. */
  handleEmptyQuery(): void {
    this.#running += 1;
  }

  /** `Postgres.copyIn` sends rows. Here the server would read the rest of the message as rows. */
  handleCopyInResponse(connection: pg.Connection): void {
    connection.stream.destroy(new Error('COPY FROM STDIN cannot be sent together with other statements'));
  }

  handleCopyData(): void {}

  handleError(error: Error, connection: Connection): void {
    // The server has not parsed the statements after the failed one. PgBouncer has, and would refuse to do it again.
    for (const { name } of this.#isPooled ? [] : this.#queries.slice(this.#running + 1))
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    this.callback(error);
  }

  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.#queries.slice(0, this.#running)) query.handleReadyForQuery(connection);
    this.callback(this.#error);
  }
}

/** The server would run the other statement of that name. */
function errorOfName(
  { name, text }: Query,
  { parsedStatements, submittedNamedStatements }: Connection,
): Error | null {
  if (name === undefined) return null;
  const known = parsedStatements[name] ?? submittedNamedStatements[name] ?? text;
  return known === text ? null : new Error(`two prepared statements have the name '${name}'`);
}

type Rows = pg.QueryResultRow[];
type Unsent = { readonly statement: pg.QueryConfig; readonly asked?: PromiseWithResolvers<Rows> };

/**
 * Collects the statements of one transaction, so that those that are asked for at once are sent by one call of `sendAll`: one message. The
 * next message is sent after the answer to the last one, and none after one that failed: if the beginning of the transaction failed, its
 * other statements would commit by themselves, and the end of a failed transaction would look like a commit.
 * @param sendAll returns the rows of each statement, and fails if one of them fails
 */
export function collectStatements(
  sendAll: (statements: readonly pg.QueryConfig[]) => Promise<readonly Rows[]>,
): {
  readonly query: (statement: pg.QueryConfig) => Promise<Rows>;
  /** Waits for the next `query` or `flush`, which fails if this statement fails. */
  readonly queryLater: (statement: pg.QueryConfig) => void;
  /** Fails if any statement has failed. */
  readonly flush: () => Promise<void>;
  /** Refuses all later statements: the connection may then be used by another transaction. */
  readonly close: () => void;
  /** Refuses also those that have not been sent. */
  readonly abort: (error: unknown) => void;
} {
  let unsent: Unsent[] = [];
  let isClosed = false;
  let failed: { readonly error: unknown } | undefined;
  let sending: Promise<void> = Promise.resolve();

  async function send(): Promise<void> {
    const sent = unsent;
    unsent = [];
    try {
      if (failed !== undefined) throw failed.error;
      if (sent.length === 0) return;
      const rows = await sendAll(sent.map(({ statement }) => statement));
      for (const [place, { asked }] of sent.entries()) asked?.resolve(rows[place] ?? []);
    } catch (error) {
      failed ??= { error };
      for (const { asked } of sent) asked?.reject(error);
      throw error;
    }
  }
  const flush = () => {
    sending = sending.then(send, send);
    return sending;
  };
  const close = () => {
    isClosed = true;
  };
  const throwIfClosed = () => {
    if (isClosed) throw new Error('a statement was asked for after its transaction has ended');
  };
  return {
    query: async (statement) => {
      throwIfClosed();
      const asked = Promise.withResolvers<Rows>();
      // Those who asked get the error.
      if (unsent.every((one) => one.asked === undefined)) flush().catch(() => {});
      unsent.push({ statement, asked });
      return asked.promise;
    },
    queryLater: (statement) => {
      throwIfClosed();
      unsent.push({ statement });
    },
    flush,
    close,
    abort: (error) => {
      close();
      failed ??= { error };
    },
  };
}
