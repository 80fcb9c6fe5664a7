/**
 * The peer of a creation: as many durable transactions on the same server, one after the other, and nothing else; each one
 * statement that writes a row. What the disk and Postgres allow a creation at best.
 */
import pg from 'pg';
import { closedLoop, type Load } from '../closed-loop.ts';

/** About what a transaction of a creation writes. */
const payload = 'x'.repeat(1_000);

export async function openBareCommits(
  opened: AsyncDisposableStack,
  o: { databaseUrl: string; atOnce: number },
): Promise<(load: { writes: number; atOnce: number; seconds: number }) => Promise<Load>> {
  // Idle connections are closed. Postgres would count the last syncs of an open one seconds later, among those of the creations that follow.
  const pool = new pg.Pool({ connectionString: o.databaseUrl, max: o.atOnce, idleTimeoutMillis: 100 });
  opened.defer(() => pool.end());
  await pool.query(
    'CREATE TABLE written (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload text NOT NULL)',
  );
  return ({ writes, ...load }) =>
    closedLoop(async () => {
      const client = await pool.connect();
      try {
        for (let written = 0; written < writes; written += 1) {
          await client.query({
            name: 'write',
            text: 'INSERT INTO written (payload) VALUES ($1)',
            values: [payload],
          });
        }
      } finally {
        client.release();
      }
    }, load);
}
