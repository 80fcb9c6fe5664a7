/**
 * The SQL of test clocks (decision 216, test clock). The instants of an organisation's TEST offers are in the time of its clock, which is ahead
 * of the real time. Everything that compares such an instant with `now` takes `now` from here. LIVE offers have no clock, so for them nothing is
 * read.
 */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';
import type { AdvanceRefusal } from '../domain/test-clock.ts';
import type { Owner } from '../offers-store.ts';

type Row = { readonly organisation_id: number; readonly ahead_seconds: number };

/** @returns how many milliseconds the time of an owner's offers is ahead of the real time: 0 in LIVE mode */
export async function aheadMsOf(db: Queryable, owners: Iterable<Owner>): Promise<(owner: Owner) => number> {
  const ids = new Set<number>();
  for (const { organisationId, mode } of owners) if (mode === 'TEST') ids.add(organisationId);
  if (ids.size === 0) return () => 0;
  const rows = await db.query<Row>(
    'SELECT organisation_id, ahead_seconds FROM test_clocks WHERE organisation_id = ANY ($1::integer[])',
    [[...ids]],
  );
  const aheadMs = new Map(rows.map((row) => [row.organisation_id, row.ahead_seconds * 1_000]));
  return ({ organisationId, mode }) => (mode === 'TEST' ? (aheadMs.get(organisationId) ?? 0) : 0);
}

/** @returns the time of an owner's offers at an instant of the real time */
export async function nowIn(db: Queryable, owner: Owner, realNow: Date): Promise<Date> {
  return later(realNow, (await aheadMsOf(db, [owner]))(owner));
}

/**
 * The same for a creation whose key is claimed. If a reset has begun, this waits for its end; a reset that begins later finds the claimed
 * key.
 */
export async function nowForCreation(db: Queryable, owner: Owner, realNow: Date): Promise<Date> {
  if (owner.mode === 'LIVE') return realNow;
  const [row] = await db.query<Row>(
    'SELECT ahead_seconds FROM test_clocks WHERE organisation_id = $1 FOR KEY SHARE',
    [owner.organisationId],
  );
  return later(realNow, (row?.ahead_seconds ?? 0) * 1_000);
}

export function later(instant: Date, ms: number): Date {
  return ms === 0 ? instant : new Date(instant.getTime() + ms);
}

type Moved<Refusal> =
  | { readonly ok: true; readonly aheadSeconds: number }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Moves the organisation's clock, one advance at a time. Replicas that hold its offers in memory read them again.
 * @param decide gets how far the clock is ahead
 */
export async function moveClock(
  postgres: Postgres,
  organisationId: number,
  decide: (aheadSeconds: number) => Moved<AdvanceRefusal>,
  deadline: Deadline,
): Promise<Moved<AdvanceRefusal>> {
  return postgres.transaction(async (tx) => {
    const [row] = await tx.query<Row>(
      `INSERT INTO test_clocks (organisation_id, ahead_seconds) VALUES ($1, 0)
       ON CONFLICT (organisation_id) DO UPDATE SET ahead_seconds = test_clocks.ahead_seconds RETURNING ahead_seconds`,
      [organisationId],
    );
    if (row === undefined) throw new Error('the upsert returned no row');
    const moved = decide(row.ahead_seconds);
    if (!moved.ok) return moved;
    await tx.query(
      'UPDATE test_clocks SET ahead_seconds = $2, changed_in = pg_current_xact_id() WHERE organisation_id = $1',
      [organisationId, moved.aheadSeconds],
    );
    return moved;
  }, deadline);
}

export type ResetRefusal = { readonly reason: 'offers-not-over' };

/**
 * Sets the clock back to the real time. Only when nothing of the organisation lives by it any more: an offer that has begun or is paused would
 * be at an instant before its facts.
 */
export async function resetClock(
  postgres: Postgres,
  organisationId: number,
  deadline: Deadline,
): Promise<Moved<ResetRefusal>> {
  return postgres.transaction(async (tx) => {
    await tx.query('SELECT FROM test_clocks WHERE organisation_id = $1 FOR UPDATE', [organisationId]);
    // A statement of its own, because it must see what was committed while the first one waited. A reservation has an unfinished key.
    const [row] = await tx.query<{ any: boolean }>(
      `SELECT EXISTS (SELECT FROM offers WHERE organisation_id = $1 AND ${notOver})
           OR EXISTS (SELECT FROM idempotency_keys
                       WHERE organisation_id = $1 AND mode = 'TEST' AND recovery_point <> 'finished') AS any`,
      [organisationId],
    );
    if (row?.any !== false) return { ok: false, refusal: { reason: 'offers-not-over' } };
    await tx.query('DELETE FROM test_clocks WHERE organisation_id = $1', [organisationId]);
    return { ok: true, aheadSeconds: 0 };
  }, deadline);
}

/** Its end is still to be announced. The conditions are those of the index `offers_test_ending`. */
const notOver = `mode = 'TEST' AND end_announced_at IS NULL AND shown_at IS NOT NULL AND (deleted_at IS NULL OR deleted_at >= expiry_at)`;
