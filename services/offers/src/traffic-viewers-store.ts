/**
 * The SQL of who was where in which hour, kept only as long as repeats are looked for. Rows are written and locked in
 * one fixed order.
 */
import { hash } from 'node:crypto';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres';
import type { ViewerHour } from './domain/traffic.ts';

/** A viewer in one hour. */
export type Viewer = { readonly hour: Date; readonly viewer: string };
export type KnownViewer = Viewer & { readonly known: ViewerHour };

/**
 * Stands for the pseudonym in this hour only. Of a million viewers in one hour, two share their 64 bits about once in
 * forty million hours.
 */
export function viewerIn(hour: Date, pseudonym: string): Viewer {
  const digest = hash('sha256', `${hour.getTime()} ${pseudonym}`, 'buffer');
  return { hour, viewer: digest.readBigInt64BE(0).toString() };
}

export function viewerKey({ hour, viewer }: Viewer): string {
  return `${hour.getTime()} ${viewer}`;
}

/** Stores those whom nobody knew and gives their keys; the others are as they were. */
export async function insertViewers(
  tx: Transaction,
  viewers: readonly KnownViewer[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const inserted = await tx.query<{ hour: Date; viewer: bigint }>(
    `INSERT INTO traffic_viewers (hour, viewer, seen, touched_at)
     SELECT hour, viewer, seen::integer[], $4
     FROM unnest($1::timestamptz[], $2::bigint[], $3::text[]) AS new (hour, viewer, seen) ORDER BY hour, viewer
     ON CONFLICT DO NOTHING RETURNING hour, viewer`,
    [...columnsOf(viewers), viewers.map(({ known }) => written(known)), now],
  );
  return new Set(inserted.map(({ hour, viewer }) => viewerKey({ hour, viewer: viewer.toString() })));
}

/** What is known of viewers, which nobody changes until the transaction ends. Throws when one was forgotten meanwhile. */
export async function lockViewers(tx: Transaction, viewers: readonly Viewer[]): Promise<KnownViewer[]> {
  const rows = await tx.query<{ hour: Date; viewer: bigint; seen: number[] | null }>(
    `SELECT hour, viewer, seen FROM traffic_viewers
     WHERE (hour, viewer) IN (SELECT * FROM unnest($1::timestamptz[], $2::bigint[]))
     ORDER BY hour, viewer FOR UPDATE`,
    columnsOf(viewers),
  );
  if (rows.length !== viewers.length)
    throw new Error('a viewer was forgotten just now, the next try finds none');
  return rows.map(({ hour, viewer, seen }) => ({ hour, viewer: viewer.toString(), known: read(seen) }));
}

export async function updateViewers(
  tx: Transaction,
  viewers: readonly KnownViewer[],
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE traffic_viewers AS known SET seen = new.seen::integer[], touched_at = $4
     FROM unnest($1::timestamptz[], $2::bigint[], $3::text[]) AS new (hour, viewer, seen)
     WHERE known.hour = new.hour AND known.viewer = new.viewer`,
    [...columnsOf(viewers), viewers.map(({ known }) => written(known)), now],
  );
}

function columnsOf(viewers: readonly Viewer[]): [Date[], string[]] {
  return [viewers.map(({ hour }) => hour), viewers.map(({ viewer }) => viewer)];
}

function written(known: ViewerHour): string | null {
  if (known === 'automated') return null;
  const numbers = [...known].flatMap(([offerId, { views, clicks }]) => [offerId, views, clicks]);
  return `{${numbers.join(',')}}`;
}

function read(seen: readonly number[] | null): ViewerHour {
  if (seen === null) return 'automated';
  const known = new Map<number, { views: number; clicks: number }>();
  for (let at = 0; at < seen.length; at += 3) {
    const [offerId = 0, views = 0, clicks = 0] = seen.slice(at, at + 3);
    known.set(offerId, { views, clicks });
  }
  return known;
}

/** Says how many. Rows that a batch is at work on, or another replica forgets, are left to the next time. */
export async function forgetViewers(db: Queryable, before: Date, atMost: number): Promise<number> {
  const forgotten = await db.query(
    `DELETE FROM traffic_viewers WHERE (hour, viewer) IN (
       SELECT hour, viewer FROM traffic_viewers WHERE hour < $1 AND touched_at < $1
       ORDER BY hour, viewer LIMIT $2 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [before, atMost],
  );
  return forgotten.length;
}
