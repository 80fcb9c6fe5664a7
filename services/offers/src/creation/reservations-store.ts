/** The SQL of reservations: the hidden offers of unfinished creations, and the quota that counts them. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { dayOf, type OffersInUse } from '../domain/creation/quota.ts';
import type { Offer } from '../domain/offer.ts';
import { columnOf, type OfferRow, type Owner, toOffer } from '../offers-store.ts';

const reservedFacts = [
  'organisationId',
  'mode',
  'createdBy',
  'tradingName',
  'country',
  'currency',
  'categoryId',
  'title',
  'description',
  'termsAndConditions',
  'advertisedName',
  'url',
  'image',
  'latitude',
  'longitude',
  'radiusMiles',
  'gender',
  'interests',
  'createdAt',
  'startAt',
  'expiryAt',
  'paymentMethod',
  'netMinor',
] as const satisfies readonly (keyof Offer)[];
const columns = reservedFacts.map(columnOf).join(', ');
const parameters = reservedFacts.map((_, index) => `$${index + 1}`).join(', ');

/** The content of a reservation: the offer with its price, not visible to anyone yet. */
export type Reservation = Pick<Offer, (typeof reservedFacts)[number]>;

/** The new id is never used by another offer, even if the creation fails. */
export async function insertReservation(tx: Transaction, reservation: Reservation): Promise<Offer> {
  const [row] = await tx.query<OfferRow>(
    `INSERT INTO offers (${columns}) VALUES (${parameters}) RETURNING *`,
    reservedFacts.map((fact) => reservation[fact]),
  );
  if (row === undefined) throw new Error('the insert returned no row');
  return toOffer(row);
}

/** Deletes reservations only: an offer that was shown is never removed from the table. */
export async function dropReservation(tx: Transaction, offerId: number): Promise<void> {
  await tx.query('DELETE FROM offers WHERE offer_id = $1 AND shown_at IS NULL', [offerId]);
}

type Whose = Owner & { readonly personId: number | null };

/** An early count without a lock; it can be outdated a moment later. */
export async function countOffersInUse(db: Queryable, whose: Whose, now: Date): Promise<OffersInUse> {
  return counted(db, 'offers_in_use', whose, now, null);
}

/**
 * Counts after this transaction's reservation, and makes other creations of the organisation and mode wait for the end of this transaction.
 * Call it last, because the others wait for everything after it.
 */
export async function lockOffersInUse(
  tx: Transaction,
  whose: Whose,
  now: Date,
  reservedId: number,
): Promise<OffersInUse> {
  return counted(tx, 'lock_offers_in_use', whose, now, reservedId);
}

async function counted(
  db: Queryable,
  by: 'offers_in_use' | 'lock_offers_in_use',
  whose: Whose,
  now: Date,
  reservedId: number | null,
): Promise<OffersInUse> {
  const [row] = await db.query<{ of_organisation: number; of_person: number; free_today: number }>(
    `SELECT * FROM ${by}($1, $2, $3, $4, $5, $6)`,
    [whose.organisationId, whose.mode, whose.personId, now, dayOf(now), reservedId],
  );
  if (row === undefined) throw new Error('offers in use were not counted');
  return { ofOrganisation: row.of_organisation, ofPerson: row.of_person, freeToday: row.free_today };
}
