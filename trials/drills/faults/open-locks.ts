/** Somebody's session in a database that holds a lock and forgets about it: the usual reason why a healthy store stands still. */

import type { Stores } from '@offer-ads/dev/start/stores';
import pg from 'pg';

export type DatabaseName = keyof Stores['databases'];

export type OpenLocks = {
  /** Keeps what the statement locks until the session is ended. */
  readonly hold: (database: DatabaseName, statement: string) => Promise<void>;
  readonly release: () => Promise<void>;
};

export function openLocks(stores: Stores): OpenLocks {
  const sessions = new Set<pg.Client>();
  return {
    hold: async (database, statement) => {
      const session = new pg.Client({
        connectionString: stores.databases[database],
        application_name: 'psql',
      });
      // The runbook has it ended.
      session.on('error', () => {});
      await session.connect();
      sessions.add(session);
      await session.query('BEGIN');
      await session.query(statement);
    },
    release: async () => {
      const held = [...sessions];
      sessions.clear();
      await Promise.all(held.map((session) => session.end().catch(() => {})));
    },
  };
}
