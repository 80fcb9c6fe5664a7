/** A database session with a forgotten lock: the usual reason why a healthy store blocks. */
import type { Stores } from '@offer-ads/dev/start/stores';
import pg from 'pg';

export type DatabaseName = keyof Stores['databases'];

export type OpenLocks = {
  /** Keeps the locks of the statement until the session ends. */
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
      // The runbook ends it.
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
