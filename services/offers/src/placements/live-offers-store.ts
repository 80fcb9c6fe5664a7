/** The SQL of the offers that members may see, for the index in memory. */
import type { MemberGender, Mode } from '@offer-ads/contracts/values/primitives';
import { changesReader, dropOldChanges } from '@offer-ads/platform/postgres/changes-since';
import type { PreparedStatement, Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Card, LiveOffer } from './live-offers.ts';

export const readPlacementChanges = changesReader({ table: 'placement_changes', id: 'offer_id' });

export const dropOldPlacementChanges = (on: Queryable) => dropOldChanges(on, 'placement_changes');

type Row = Card & {
  readonly mode: Mode;
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

const columns = `offer_id, category_name AS "categoryName", title, description, terms_and_conditions, coalesce(advertised_name, trading_name) AS advertised_name,
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
  return (await on.query<Row>(some, [offerIds])).map(toLiveOffer);
}

/** `expiryAt` and `offerId` of the last offer of the page before. */
export type After = { readonly expiryAt: Date; readonly offerId: number };

/** The next offers that members may see, by the end of their time. The conditions are those of the index `offers_ending`. */
export async function pageOfPlaceable(on: Queryable, after: After, atMost: number): Promise<LiveOffer[]> {
  const rows = await on.query<Row>(
    `SELECT ${columns} FROM offers JOIN categories USING (category_id)
     WHERE end_announced_at IS NULL AND (expiry_at, offer_id) > ($1, $2) AND ${placeable}
     ORDER BY expiry_at, offer_id LIMIT $3`,
    [after.expiryAt, after.offerId, atMost],
  );
  return rows.map(toLiveOffer);
}

function toLiveOffer(row: Row): LiveOffer {
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
    startAtMs: row.startAt.getTime(),
    expiryAtMs: row.expiryAt.getTime(),
    image,
    url,
    card: JSON.stringify(card),
    lack: 0,
  };
}
