/** All SQL about saved places. */
import type { SavedPlace, SavedPlaceWish } from '@offer-ads/contracts/portal/organisation-api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow, updateRow } from '@offer-ads/platform/postgres/rows';

const place = `id, name, latitude, longitude, radius_miles AS "radiusMiles"`;

/** By name. */
export function listPlaces(on: Queryable, organisationId: number): Promise<SavedPlace[]> {
  return on.query<SavedPlace>(
    `SELECT ${place} FROM saved_places WHERE organisation_id = $1 ORDER BY lower(name)`,
    [organisationId],
  );
}

/** The id of the place with that name in any case of letters, as the unique index compares them; null if there is none. */
export async function findPlaceNamed(
  on: Queryable,
  organisationId: number,
  name: string,
): Promise<number | null> {
  const [row] = await on.query<{ id: number }>(
    `SELECT id FROM saved_places WHERE organisation_id = $1 AND lower(name) = lower($2)`,
    [organisationId, name],
  );
  return row?.id ?? null;
}

export function insertPlace(
  tx: Transaction,
  organisationId: number,
  wish: SavedPlaceWish,
): Promise<SavedPlace> {
  return insertRow(tx, 'saved_places', { organisation_id: organisationId, ...columnsOf(wish) }, place);
}

export function updatePlace(tx: Transaction, { id, ...wish }: SavedPlace): Promise<void> {
  return updateRow(tx, 'saved_places', id, columnsOf(wish));
}

function columnsOf({ radiusMiles: radius_miles, name, latitude, longitude }: SavedPlaceWish) {
  return { name, latitude, longitude, radius_miles };
}

export async function deletePlace(tx: Transaction, id: number): Promise<void> {
  await tx.query(`DELETE FROM saved_places WHERE id = $1`, [id]);
}
