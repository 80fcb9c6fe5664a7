/**
 * The SQL of test clocks (decision 216, test clock). The instants of an organisation's TEST offers are in the time of its clock, which is ahead
 * of the real time. Everything that compares such an instant with `now` takes `now` from here. LIVE offers have no clock, so for them nothing is
 * read.
 */
import type { Refused } from '@offer-ads/contracts/values/refused';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';
import type { AdvanceRefusal } from '../domain/test-clock.ts';
import type { Owner } from '../offers-store.ts';
import { endIsDueSql } from '../status-sql.ts';

type Row = { readonly organisation_id: number; readonly ahead_seconds: number };

/** The time of an owner's offers at an instant of the real time. */
export type OfferTime = (owner: Owner, real: Date) => Date;

/** Read once for a request, a run of the sweeper, or an event; later advances of these clocks do not change it. */
export async function offerTimeOf(db: Queryable, owners: Iterable<Owner>): Promise<OfferTime> {
  const aheadSeconds = await aheadSecondsOf(db, owners);
  return (owner, real) =>
    owner.mode === 'LIVE' ? real : later(real, aheadSeconds.get(owner.organisationId) ?? 0);
}

async function aheadSecondsOf(db: Queryable, owners: Iterable<Owner>): Promise<ReadonlyMap<number, number>> {
  const ids = new Set<number>();
  for (const { organisationId, mode } of owners) if (mode === 'TEST') ids.add(organisationId);
  if (ids.size === 0) return new Map();
  const rows = await db.query<Row>(
    'SELECT organisation_id, ahead_seconds FROM test_clocks WHERE organisation_id = ANY ($1::integer[])',
    [[...ids]],
  );
  return new Map(rows.map((row) => [row.organisation_id, row.ahead_seconds]));
}

/** @returns how far the time of an owner's offers is ahead of the real time: 0 in LIVE mode */
export async function readAheadSeconds(db: Queryable, owner: Owner): Promise<number> {
  return (await aheadSecondsOf(db, [owner])).get(owner.organisationId) ?? 0;
}

/** @returns the time of an owner's offers at an instant of the real time */
export async function nowIn(db: Queryable, owner: Owner, realNow: Date): Promise<Date> {
  return (await offerTimeOf(db, [owner]))(owner, realNow);
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
  return later(realNow, row?.ahead_seconds ?? 0);
}

export function later(instant: Date, seconds: number): Date {
  return seconds === 0 ? instant : new Date(instant.getTime() + seconds * 1_000);
}

type Moved<Refusal extends object> = { readonly ok: true; readonly aheadSeconds: number } | Refused<Refusal>;

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
      `SELECT EXISTS (SELECT FROM offers WHERE organisation_id = $1 AND mode = 'TEST' AND ${endIsDueSql})
           OR EXISTS (SELECT FROM idempotency_keys
                       WHERE organisation_id = $1 AND mode = 'TEST' AND recovery_point <> 'finished') AS any`,
      [organisationId],
    );
    if (row?.any !== false) return { ok: false, reason: 'offers-not-over' };
    await tx.query('DELETE FROM test_clocks WHERE organisation_id = $1', [organisationId]);
    return { ok: true, aheadSeconds: 0 };
  }, deadline);
}
