/** The SQL of viewers per hour, stored only as long as repeats are filtered. Rows are written and locked in one fixed order. */
import { hash } from 'node:crypto';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { ViewerHour } from '../domain/traffic/traffic.ts';

/** A viewer in one hour. The key is derived from the pseudonym and is valid in this hour only. */
export type Viewer = { readonly hour: Date; readonly key: string };
export type KnownViewer = Viewer & { readonly known: ViewerHour };

/** The key has 64 bits: among a million viewers in one hour, two share a key about once in forty million hours. */
export function viewerIn(hour: Date, pseudonym: string): Viewer {
  const digest = hash('sha256', `${hour.getTime()} ${pseudonym}`, 'buffer');
  return { hour, key: digest.readBigInt64BE(0).toString() };
}

/** Inserts the viewers that are new and returns their keys; the others do not change. */
export async function insertViewers(
  tx: Transaction,
  viewers: readonly KnownViewer[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const inserted = await tx.query<{ viewer: bigint }>(
    `${insertInOrder} ON CONFLICT DO NOTHING RETURNING viewer`,
    rowsOf(viewers, now),
  );
  return new Set(inserted.map(({ viewer }) => viewer.toString()));
}

/** The locked state of each viewer by key; it cannot change until the transaction ends. Throws if a viewer was deleted meanwhile. */
export async function lockViewers(
  tx: Transaction,
  viewers: readonly Viewer[],
): Promise<ReadonlyMap<string, ViewerHour>> {
  const rows = await tx.query<{ viewer: bigint; seen: string | null }>(
    `SELECT viewer, seen::text FROM traffic_viewers
     WHERE (hour, viewer) IN (SELECT * FROM unnest($1::timestamptz[], $2::bigint[]))
     ORDER BY hour, viewer FOR UPDATE`,
    columnsOf(viewers),
  );
  if (rows.length !== viewers.length)
    throw new Error('a viewer was deleted meanwhile; the retry inserts it again');
  return new Map(rows.map(({ viewer, seen }) => [viewer.toString(), read(seen)]));
}

/** Written as an insert with a conflict, which finds each row by its key whatever plan Postgres would choose. */
export async function updateViewers(
  tx: Transaction,
  viewers: readonly KnownViewer[],
  now: Date,
): Promise<void> {
  await tx.query(
    `${insertInOrder} ON CONFLICT (hour, viewer) DO UPDATE SET seen = excluded.seen, touched_at = excluded.touched_at`,
    rowsOf(viewers, now),
  );
}

const insertInOrder = `INSERT INTO traffic_viewers (hour, viewer, seen, touched_at)
  SELECT hour, viewer, seen::integer[], $4
  FROM unnest($1::timestamptz[], $2::bigint[], $3::text[]) AS new (hour, viewer, seen) ORDER BY hour, viewer`;

function rowsOf(viewers: readonly KnownViewer[], now: Date): unknown[] {
  return [...columnsOf(viewers), viewers.map(({ known }) => written(known)), now];
}

/** Times as text, because pg's conversion of a Date takes longer than the statement itself. */
function columnsOf(viewers: readonly Viewer[]): [string[], string[]] {
  return [viewers.map(({ hour }) => hour.toISOString()), viewers.map(({ key }) => key)];
}

/** As PostgreSQL writes an array of integers; null for a bot. */
function written(known: ViewerHour): string | null {
  if (known === 'automated') return null;
  const offers = [...known].map(([offerId, { views, clicks }]) => `${offerId},${views},${clicks}`);
  return `{${offers.join(',')}}`;
}

function read(seen: string | null): ViewerHour {
  if (seen === null) return 'automated';
  const numbers = seen.slice(1, -1).split(',').map(Number);
  const known = new Map<number, { views: number; clicks: number }>();
  for (let at = 0; at + 2 < numbers.length; at += 3)
    known.set(numbers[at] ?? 0, { views: numbers[at + 1] ?? 0, clicks: numbers[at + 2] ?? 0 });
  return known;
}
