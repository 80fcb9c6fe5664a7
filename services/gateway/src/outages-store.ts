/** Outages for the status page, kept for 90 days. All replicas see them: the first one begins and ends each. */
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Dependency, Outage } from './domain/status.ts';

const keptDays = 90;
/** Shorter ones are what one slow probe looks like. */
const shownFrom = '1 minute';
const atMost = 100;

export async function saveState(
  postgres: Postgres,
  { name, state, since }: Pick<Dependency, 'name' | 'state' | 'since'>,
): Promise<void> {
  if (state === 'up')
    await postgres.query(
      'UPDATE outages SET ended_at = greatest(began_at, $2) WHERE name = $1 AND ended_at IS NULL',
      [name, since],
    );
  else
    await postgres.query(
      `WITH old AS (DELETE FROM outages WHERE began_at < $2::timestamptz - interval '${keptDays} days' AND ended_at IS NOT NULL)
       INSERT INTO outages (name, began_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [name, since],
    );
}

/** Newest first. */
export async function listOutages(postgres: Postgres, now: Date): Promise<readonly Outage[]> {
  return postgres.query<Outage>(
    `SELECT name, began_at AS "beganAt", ended_at AS "endedAt" FROM outages
      WHERE coalesce(ended_at, $1) - began_at >= interval '${shownFrom}' AND began_at > $1::timestamptz - interval '${keptDays} days'
      ORDER BY began_at DESC, name LIMIT ${atMost}`,
    [now],
  );
}
