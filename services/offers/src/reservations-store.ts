/** The SQL of reservations: the hidden offers of creations under way, and the quota that they count against. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres';
import type { Offer, OfferContent } from './domain/offer.ts';
import type { OffersInUse } from './domain/quota.ts';
import { type OfferRow, type Owner, toOffer } from './offers-store.ts';

/** What a creation reserves: the offer with its price, not shown to anybody yet. */
export type Reservation = Pick<
  Offer,
  | keyof OfferContent
  | 'organisationId'
  | 'mode'
  | 'createdBy'
  | 'tradingName'
  | 'country'
  | 'currency'
  | 'image'
  | 'createdAt'
  | 'startAt'
  | 'expiryAt'
  | 'paymentMethod'
  | 'netMinor'
>;

/** Gives it an id that no other offer ever has, whatever becomes of the creation. */
export async function insertReservation(tx: Transaction, reservation: Reservation): Promise<Offer> {
  const [row] = await tx.query<OfferRow>(
    `INSERT INTO offers (organisation_id, mode, created_by, trading_name, country, currency, category_id, title, description,
       terms_and_conditions, advertised_name, url, image, latitude, longitude, radius_miles, gender, interests,
       created_at, start_at, expiry_at, payment_method, net_minor)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
     RETURNING *`,
    [
      reservation.organisationId,
      reservation.mode,
      reservation.createdBy,
      reservation.tradingName,
      reservation.country,
      reservation.currency,
      reservation.categoryId,
      reservation.title,
      reservation.description,
      reservation.termsAndConditions,
      reservation.advertisedName,
      reservation.url,
      reservation.image,
      reservation.latitude,
      reservation.longitude,
      reservation.radiusMiles,
      reservation.gender,
      reservation.interests,
      reservation.createdAt,
      reservation.startAt,
      reservation.expiryAt,
      reservation.paymentMethod,
      reservation.netMinor,
    ],
  );
  if (row === undefined) throw new Error('the insert returned no row');
  return toOffer(row);
}

/** Only ever a reservation: an offer that was shown is never removed from the store. */
export async function dropReservation(tx: Transaction, offerId: number): Promise<void> {
  await tx.query('DELETE FROM offers WHERE offer_id = $1 AND shown_at IS NULL', [offerId]);
}

/** One creation of an organisation and mode at a time from here to the end of the transaction: the quota's count holds. */
export async function lockQuota(tx: Transaction, owner: Owner): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `quota/${owner.organisationId}/${owner.mode}`,
  ]);
}

/** Decision 17: neither deleted nor Ended. */
export async function countOffersInUse(
  db: Queryable,
  owner: Owner & { readonly personId: number | null },
  now: Date,
): Promise<OffersInUse> {
  const [row] = await db.query<{ organisation: number; person: number }>(
    `SELECT count(*)::int AS organisation, (count(*) FILTER (WHERE created_by = $3))::int AS person
     FROM offers WHERE organisation_id = $1 AND mode = $2 AND deleted_at IS NULL AND expiry_at > $4`,
    [owner.organisationId, owner.mode, owner.personId, now],
  );
  return { ofOrganisation: row?.organisation ?? 0, ofPerson: row?.person ?? 0 };
}
