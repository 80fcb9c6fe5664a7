/** `COPY ... FROM STDIN`, which the driver leaves to its users. */
import type pg from 'pg';

/** What the driver does with the connection of a statement that sends rows. */
type Connection = pg.Connection & {
  readonly sendCopyFromChunk: (rows: Buffer) => void;
  readonly endCopyFrom: () => void;
};

/** One statement and its rows, which are sent when the server asks for them. The driver calls these methods. */
export class CopyIn implements pg.Submittable {
  /** The driver wraps it in its time-out. */
  readonly callback: (error: Error | null) => void;
  readonly #statement: string;
  readonly #rows: string;

  constructor(statement: string, rows: string, callback: (error: Error | null) => void) {
    this.callback = callback;
    this.#statement = statement;
    this.#rows = rows;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#statement);
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#rows));
    connection.endCopyFrom();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleCommandComplete(): void {}
}
