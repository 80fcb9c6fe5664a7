/**
 * PgBouncer in transaction mode between a service and Postgres (docs/adr/0033): each transaction may run on another connection, and the
 * time-outs of connections are PgBouncer's setting.
 */
import { randomUUID } from 'node:crypto';
import type { Queryable } from './postgres.ts';

/** What every connection has, under the names of Postgres. Time-outs are in milliseconds. */
export type ConnectionSettings = {
  readonly statement_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
  readonly max_parallel_workers_per_gather: number;
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
 * @throws if it does not have these settings: without its time-outs a forgotten transaction would hold its locks for ever
 */
export async function checkPooler(
  on: Queryable,
  wanted: ConnectionSettings,
): Promise<{ readonly keepsNames: boolean }> {
  const name = randomUUID();
  const [seen] = await on.query<{ settings: Partial<ConnectionSettings>; passedOn: boolean }>(
    {
      name,
      sql: `SELECT (SELECT json_object_agg(name, setting::bigint) FROM pg_settings WHERE name = ANY ($2)) AS settings,
                   EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1) AS "passedOn"`,
    },
    [name, Object.keys(wanted)],
  );
  for (const [setting, value] of Object.entries(wanted) as [keyof ConnectionSettings, number][])
    if (seen?.settings[setting] !== value)
      throw new Error(
        `PgBouncer must set ${setting} = ${value} on its connections (connect_query in deploy/k8s/components/pgbouncer/pgbouncer.ini); it is ${seen?.settings[setting]}`,
      );
  return { keepsNames: seen?.passedOn === false };
}
