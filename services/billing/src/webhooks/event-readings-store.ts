/** How far the provider's list of events has been read, in Postgres. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { firstReadUpTo, nextReadingAt } from '../domain/payments/missed-events.ts';

/** Undefined if no reading is due. Otherwise the next time is moved on at once, so that only one replica reads. */
export async function takeReading(on: Postgres, mode: Mode, now: Date): Promise<Date | undefined> {
  const [row] = await on.query<{ read_up_to: Date }>(
    `INSERT INTO event_readings AS known (mode, read_up_to, next_read_at) VALUES ($1, $2, $3)
     ON CONFLICT (mode) DO UPDATE SET next_read_at = excluded.next_read_at WHERE known.next_read_at <= $4
     RETURNING read_up_to`,
    [mode, firstReadUpTo(now), nextReadingAt(now), now],
  );
  return row?.read_up_to;
}

/** Never goes back, although clocks of replicas differ. */
export async function saveReading(on: Postgres, mode: Mode, readUpTo: Date): Promise<Date> {
  const [row] = await on.query<{ read_up_to: Date }>(
    'UPDATE event_readings SET read_up_to = greatest(read_up_to, $2) WHERE mode = $1 RETURNING read_up_to',
    [mode, readUpTo],
  );
  return row?.read_up_to ?? readUpTo;
}
