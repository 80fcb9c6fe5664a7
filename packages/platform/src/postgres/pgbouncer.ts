/**
 * PgBouncer in transaction mode between a service and Postgres (docs/adr/0033): each transaction may run on another connection, and the
 * time-outs of connections are PgBouncer's setting.
 */
import { randomUUID } from 'node:crypto';
import type { Queryable } from './postgres.ts';

/** In milliseconds, under the names of Postgres. */
export type Bounds = {
  readonly statement_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
};

/** The address of a database, with another host and port. */
export function addressThrough(hostAndPort: string, url: string): string {
  const address = new URL(url);
  address.host = hostAndPort;
  return address.href;
}

/**
 * Looks at one connection of PgBouncer.
 * @returns whether statements may have names: PgBouncer 1.21 and later give each statement a name of their own, which they know on every
 * connection (`max_prepared_statements`); others pass our name on, and the next connection does not know it
 * @throws if it does not have these time-outs, without which a forgotten transaction would hold its locks for ever
 */
export async function checkPooler(on: Queryable, bounds: Bounds): Promise<{ readonly keepsNames: boolean }> {
  const name = randomUUID();
  const [seen] = await on.query<Bounds & { passedOn: boolean }>(
    {
      name,
      sql: `SELECT extract(epoch FROM current_setting('statement_timeout')::interval)::float8 * 1000 AS statement_timeout,
                   extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval)::float8 * 1000
                     AS idle_in_transaction_session_timeout,
                   EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1) AS "passedOn"`,
    },
    [name],
  );
  for (const [bound, wantedMs] of Object.entries(bounds) as [keyof Bounds, number][])
    if (seen?.[bound] !== wantedMs)
      throw new Error(
        `PgBouncer must set ${bound} = ${wantedMs} on its connections (connect_query in deploy/k8s/components/pgbouncer/pgbouncer.ini); it is ${seen?.[bound]}`,
      );
  return { keepsNames: seen?.passedOn === false };
}
