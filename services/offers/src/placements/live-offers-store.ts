/**
 * The SQL of the offers that members may see, for those in memory.
 *
 * No change is missed: a trigger writes into `changed_in` of each changed offer, and of each moved test clock, the number of the
 * transaction. A position has the oldest transaction that was still running when it was read. All earlier ones had ended, so a read after
 * the position saw what they changed; what any other transaction changes, however late it commits, has a number that is not below the
 * position, and the read from this position finds it.
 */
import type { Target } from '@offer-ads/contracts/audience/target';
import { offerTextFacts, offerTexts } from '@offer-ads/contracts/values/offer-texts';
import type { PreparedStatement, Queryable } from '@offer-ads/platform/postgres/postgres';
import { columnOf } from '../offers-store.ts';
import { mayBeSeenSql, withClockSql } from '../status-sql.ts';
import type { LiveOffer } from './live-offers.ts';

export type Position = {
  /** Another server may lack transactions of the one before, so its numbers mean something else. */
  readonly server: string;
  readonly oldestRunning: string;
};

const positionStatement: PreparedStatement = {
  name: 'placements-position',
  sql: `SELECT pg_postmaster_start_time()::text AS server, pg_snapshot_xmin(pg_current_snapshot())::text AS "oldestRunning"`,
};

export async function readPosition(on: Queryable): Promise<Position> {
  const [position] = await on.query<Position>(positionStatement);
  if (position === undefined) throw new Error('SELECT returned no row');
  return position;
}

const cardTexts = offerTextFacts.map(
  (text) => `'${offerTexts[text].field}', coalesce(${columnOf(text)}, trading_name)`,
);
const card = `json_build_object('offer_id', offer_id, ${cardTexts.join(', ')})::text`;
const columns = `offer_id AS "offerId", mode, category_id AS "categoryId", latitude, longitude, radius_miles AS "radiusMiles", gender,
  interests, start_at AS "startAt", expiry_at AS "expiryAt", coalesce(ahead_seconds, 0) AS "aheadSeconds", image, url, ${card} AS card`;
const withClock = withClockSql('offers');

/** A backup of another server may hold numbers that this one has not given yet; without the upper bound they would be read each time. */
const changedSince = 'changed_in >= $1::xid8 AND changed_in < pg_snapshot_xmax(pg_current_snapshot())';

const changesStatement: PreparedStatement = {
  name: 'placements-changed',
  sql: `WITH changed AS MATERIALIZED (
          SELECT offer_id FROM offers WHERE ${changedSince}
          UNION
          SELECT offer_id FROM (SELECT organisation_id FROM test_clocks WHERE ${changedSince}) AS moved
            JOIN offers USING (organisation_id) WHERE mode = 'TEST' AND deleted_at IS NULL
        )
        SELECT ${columns}, ${mayBeSeenSql} AS "isPlaceable" FROM changed JOIN offers USING (offer_id) ${withClock}`,
};

/** Offers that have changed since the position: those that members may see, and the ids of the others. */
export async function readChanges(
  on: Queryable,
  { oldestRunning }: Position,
): Promise<{ readonly shown: readonly LiveOffer[]; readonly hidden: readonly number[] }> {
  const rows = await on.query<Row & { readonly isPlaceable: boolean }>(changesStatement, [oldestRunning]);
  return {
    shown: rows.filter(({ isPlaceable }) => isPlaceable).map(toLiveOffer),
    hidden: rows.filter(({ isPlaceable }) => !isPlaceable).map(({ offerId }) => offerId),
  };
}

/** `expiryAt` and `offerId` of the last offer of the page before. */
export type After = { readonly expiryAt: Date; readonly offerId: number };

/**
 * The next offers that members may see, by the end of their time. The conditions are those of the index `offers_ending`.
 * @returns with the offers, where the next page begins; null after the last one
 */
export async function pageOfPlaceable(
  on: Queryable,
  after: After,
  atMost: number,
): Promise<{ readonly offers: LiveOffer[]; readonly next: After | null }> {
  const rows = await on.query<Row>(
    `SELECT ${columns} FROM offers ${withClock}
     WHERE end_announced_at IS NULL AND (expiry_at, offer_id) > ($1, $2) AND ${mayBeSeenSql}
     ORDER BY expiry_at, offer_id LIMIT $3`,
    [after.expiryAt, after.offerId, atMost],
  );
  const last = rows.length < atMost ? undefined : rows.at(-1);
  const next = last === undefined ? null : { expiryAt: last.expiryAt, offerId: last.offerId };
  return { offers: rows.map(toLiveOffer), next };
}

type Row = Omit<LiveOffer, 'target' | 'startAtMs' | 'expiryAtMs' | 'lack'> &
  Target & { readonly startAt: Date; readonly expiryAt: Date; readonly aheadSeconds: number };

/** Members look at the real time, so the start and the end of a TEST offer are those at which its test clock reaches them. */
function toLiveOffer(row: Row): LiveOffer {
  const { offerId, mode, categoryId, image, url, card, startAt, expiryAt, aheadSeconds } = row;
  const { latitude, longitude, radiusMiles, gender, interests } = row;
  const target = { latitude, longitude, radiusMiles, gender, interests };
  const startAtMs = startAt.getTime() - aheadSeconds * 1_000;
  const expiryAtMs = expiryAt.getTime() - aheadSeconds * 1_000;
  return { offerId, mode, categoryId, target, startAtMs, expiryAtMs, image, url, card, lack: 0 };
}
