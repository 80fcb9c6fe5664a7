/** All SQL about saved places. */
import type { SavedPlace, SavedPlaceWish } from '@offer-ads/contracts/portal/organisation-api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';

const place = `id, name, latitude, longitude, radius_miles AS "radiusMiles"`;

/** By name. */
export function listPlaces(on: Queryable, organisationId: number): Promise<SavedPlace[]> {
  return on.query<SavedPlace>(
    `SELECT ${place} FROM saved_places WHERE organisation_id = $1 ORDER BY lower(name)`,
    [organisationId],
  );
}

export async function insertPlace(
  tx: Transaction,
  organisationId: number,
  wish: SavedPlaceWish,
): Promise<SavedPlace> {
  const [row] = await tx.query<SavedPlace>(
    `INSERT INTO saved_places (organisation_id, name, latitude, longitude, radius_miles)
     VALUES ($1, $2, $3, $4, $5) RETURNING ${place}`,
    [organisationId, wish.name, wish.latitude, wish.longitude, wish.radiusMiles],
  );
  if (row === undefined) throw new Error('INSERT returned no place');
  return row;
}

export async function updatePlace(tx: Transaction, { id, ...wish }: SavedPlace): Promise<void> {
  await tx.query(
    `UPDATE saved_places SET name = $2, latitude = $3, longitude = $4, radius_miles = $5 WHERE id = $1`,
    [id, wish.name, wish.latitude, wish.longitude, wish.radiusMiles],
  );
}

export async function deletePlace(tx: Transaction, id: number): Promise<void> {
  await tx.query(`DELETE FROM saved_places WHERE id = $1`, [id]);
}
