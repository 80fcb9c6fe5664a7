/** How far the provider's list of events has been read, in Postgres. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { type EventReading, firstReading, nextReadingAt } from '../domain/payments/missed-events.ts';

type ReadingRow = { read_up_to: Date; stretch_to: Date | null; last_event_id: string | null };

/** Undefined if no reading is due. Otherwise the next time is moved on at once, so that only one replica reads. */
export async function takeReading(on: Postgres, mode: Mode, now: Date): Promise<EventReading | undefined> {
  const first = firstReading(now);
  const [row] = await on.query<ReadingRow>(
    `INSERT INTO event_readings AS known (mode, read_up_to, next_read_at) VALUES ($1, $2, $3)
     ON CONFLICT (mode) DO UPDATE SET next_read_at = excluded.next_read_at WHERE known.next_read_at <= $4
     RETURNING read_up_to, stretch_to, last_event_id`,
    [mode, first.readUpTo, nextReadingAt(now, first), now],
  );
  return row && readingOf(row);
}

export async function saveReading(on: Postgres, mode: Mode, reading: EventReading, now: Date): Promise<void> {
  await on.query(
    `UPDATE event_readings SET read_up_to = $2, stretch_to = $3, last_event_id = $4, next_read_at = $5 WHERE mode = $1`,
    [
      mode,
      reading.readUpTo,
      reading.partlyRead?.stretchTo,
      reading.partlyRead?.lastEventId,
      nextReadingAt(now, reading),
    ],
  );
}

function readingOf(row: ReadingRow): EventReading {
  const { stretch_to: stretchTo, last_event_id: lastEventId } = row;
  const partlyRead = stretchTo === null || lastEventId === null ? null : { stretchTo, lastEventId };
  return { readUpTo: row.read_up_to, partlyRead };
}
