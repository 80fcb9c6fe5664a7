/** The SQL for the platform team's view of a picture: its name, and the offers that show it. */
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Offer } from '../domain/offer.ts';
import { type OfferRow, toOffer } from '../offers-store.ts';
import { extensions } from './picture-types.ts';

/** A person does not look at more than this one by one. */
const MOST_SHOWING = 50;

/** The name of the picture with this hash; null if there is none. */
export async function findImage(db: Queryable, hash: string): Promise<string | null> {
  const [known] = await db.query<{ name: string }>(
    'SELECT name FROM images WHERE content = ANY ($1) AND doomed_at IS NULL',
    [contentsOf(hash)],
  );
  return known?.name ?? null;
}

/** Offers of any organisation that show it, the latest created first. */
export async function listShowing(db: Queryable, hash: string): Promise<readonly Offer[]> {
  const rows = await db.query<OfferRow>(
    `SELECT offers.* FROM images JOIN offers ON offers.image = images.name
     WHERE images.content = ANY ($1) AND doomed_at IS NULL AND deleted_at IS NULL AND shown_at IS NOT NULL
     ORDER BY created_at DESC, offer_id DESC LIMIT $2`,
    [contentsOf(hash), MOST_SHOWING],
  );
  return rows.map(toOffer);
}

/** The possible contents, one per picture type. */
function contentsOf(hash: string): string[] {
  return Object.values(extensions).map((extension) => `${hash}.${extension}`);
}
