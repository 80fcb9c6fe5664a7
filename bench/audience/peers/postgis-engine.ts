/** Counting in PostGIS as an engine of pricing, with a pool as a service would have one. */
import pg from 'pg';
import type { Audience } from '../../../services/pricing/src/audience/audience-engine.ts';
import { postgisCount } from './postgres-peers.ts';
import { postgisSession } from './postgres-server.ts';

/** Two cores count no more at once; the others wait. */
const CONNECTIONS = 4;

export function openPostgisEngine(url: string): Audience {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, options: postgisSession });
  return {
    count: async (target) => {
      const { rows } = await pool.query<{ matching: number }>(postgisCount(target));
      return rows[0]?.matching ?? Number.NaN;
    },
    waitsFor: async () => [],
    includesWritten: async () => true,
    check: null,
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
