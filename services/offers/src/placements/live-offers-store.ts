/** The SQL of the offers that members may see, for the index in memory. */
import type { MemberGender } from '@offer-ads/contracts/values/primitives';
import { changesReader, dropOldChanges } from '@offer-ads/platform/postgres/changes-since';
import type { PreparedStatement, Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Owner } from '../offers-store.ts';
import { aheadMsOf } from '../test-clock/test-clock-store.ts';
import type { Card, LiveOffer } from './live-offers.ts';

export const readPlacementChanges = changesReader({ table: 'placement_changes', id: 'offer_id' });

export const dropOldPlacementChanges = (on: Queryable) => dropOldChanges(on, 'placement_changes');

type Row = Card &
  Owner & {
    readonly categoryId: number;
    readonly categoryName: string;
    readonly latitude: number;
    readonly longitude: number;
    readonly radiusMiles: number;
    readonly gender: readonly MemberGender[];
    readonly interests: readonly number[];
    readonly startAt: Date;
    readonly expiryAt: Date;
    readonly image: string;
    readonly url: string;
  };

const columns = `offer_id, organisation_id AS "organisationId", category_name AS "categoryName", title, description, terms_and_conditions, coalesce(advertised_name, trading_name) AS advertised_name,
  mode, category_id AS "categoryId", latitude, longitude, radius_miles AS "radiusMiles", gender, interests,
  start_at AS "startAt", expiry_at AS "expiryAt", image, url`;
/** Members may see the offer between its start and its expiry. */
const placeable = `shown_at IS NOT NULL AND payment_applied_at IS NOT NULL AND deleted_at IS NULL
  AND paused_since IS NULL AND disabled_since IS NULL`;

const some: PreparedStatement = {
  name: 'placeable-offers',
  sql: `SELECT ${columns} FROM offers JOIN categories USING (category_id) WHERE offer_id = ANY ($1::integer[]) AND ${placeable}`,
};

/** Those of the given offers that members may see. */
export async function findPlaceable(on: Queryable, offerIds: readonly number[]): Promise<LiveOffer[]> {
  return toLiveOffers(on, await on.query<Row>(some, [offerIds]));
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
    `SELECT ${columns} FROM offers JOIN categories USING (category_id)
     WHERE end_announced_at IS NULL AND (expiry_at, offer_id) > ($1, $2) AND ${placeable}
     ORDER BY expiry_at, offer_id LIMIT $3`,
    [after.expiryAt, after.offerId, atMost],
  );
  const last = rows.length < atMost ? undefined : rows.at(-1);
  const next = last === undefined ? null : { expiryAt: last.expiryAt, offerId: last.offer_id };
  return { offers: await toLiveOffers(on, rows), next };
}

/** Members look at the real time, so the start and the end of a TEST offer are those at which its test clock reaches them. */
async function toLiveOffers(on: Queryable, rows: readonly Row[]): Promise<LiveOffer[]> {
  const aheadMs = await aheadMsOf(on, rows);
  return rows.map((row) => toLiveOffer(row, aheadMs(row)));
}

function toLiveOffer(row: Row, aheadMs: number): LiveOffer {
  const { offer_id, title, description, terms_and_conditions, advertised_name } = row;
  const { mode, categoryId, categoryName, latitude, longitude, radiusMiles, gender, interests, image, url } =
    row;
  const card: Card = { offer_id, title, description, terms_and_conditions, advertised_name };
  return {
    offerId: offer_id,
    mode,
    categoryId,
    categoryName,
    target: { latitude, longitude, radiusMiles, gender, interests },
    startAtMs: row.startAt.getTime() - aheadMs,
    expiryAtMs: row.expiryAt.getTime() - aheadMs,
    image,
    url,
    card: JSON.stringify(card),
    lack: 0,
  };
}
