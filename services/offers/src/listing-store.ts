/** The SQL of GET /offers: keyset pages, newest first (decision 22). */
import type { Queryable } from '@offer-ads/platform/postgres';
import type { ListingPlace, ListingQuery } from './domain/listing-query.ts';
import type { Offer } from './domain/offer.ts';
import { type OfferRow, type Owner, toOffer } from './offers-store.ts';

/** With the names that the listing shows in place of ids. */
export type ListedOffer = Offer & {
  readonly categoryName: string;
  readonly interestNames: readonly { readonly interest_id: number; readonly interest_name: string }[];
};

export type ListingPage = { readonly offers: readonly ListedOffer[]; readonly next: ListingPlace | null };

/** `statusAt` once more, in SQL, because a listing must be filtered before it is cut into pages. $3 is now. */
const statusNow = `CASE
  WHEN expiry_at <= $3 THEN 'ended'
  WHEN payment_applied_at IS NULL THEN 'awaiting_payment'
  WHEN paused_since IS NOT NULL THEN 'paused'
  WHEN start_at <= $3 THEN 'active'
  ELSE 'scheduled' END`;

export async function listOffers(
  db: Queryable,
  owner: Owner,
  query: ListingQuery,
  now: Date,
): Promise<ListingPage> {
  const rows = await db.query<ListedRow>(
    `SELECT page.*, category_name,
       ARRAY(SELECT json_build_object('interest_id', interest_id, 'interest_name', interest_name)
             FROM interests WHERE interest_id = ANY (page.interests) ORDER BY interest_id) AS interest_names
     FROM (SELECT * FROM offers
           WHERE organisation_id = $1 AND mode = $2 AND deleted_at IS NULL AND shown_at IS NOT NULL
             AND ($4::text IS NULL OR $4 = ${statusNow})
             AND ($5::timestamptz IS NULL OR (created_at, offer_id) < ($5, $6::int))
             AND ($7::timestamptz IS NULL OR created_at >= $7)
             AND ($8::timestamptz IS NULL OR created_at <= $8)
           ORDER BY created_at DESC, offer_id DESC LIMIT $9) AS page
     JOIN categories USING (category_id)
     ORDER BY created_at DESC, offer_id DESC`,
    [
      owner.organisationId,
      owner.mode,
      now,
      query.status,
      query.after?.createdAt ?? null,
      query.after?.offerId ?? null,
      query.createdAfter,
      query.createdBefore,
      // One more than the page holds says whether there are more.
      query.limit + 1,
    ],
  );
  const offers = rows.slice(0, query.limit).map(toListedOffer);
  const last = rows.length > query.limit ? offers.at(-1) : undefined;
  return { offers, next: last === undefined ? null : { createdAt: last.createdAt, offerId: last.offerId } };
}

type ListedRow = OfferRow & { category_name: string; interest_names: ListedOffer['interestNames'] };

function toListedOffer(row: ListedRow): ListedOffer {
  return { ...toOffer(row), categoryName: row.category_name, interestNames: row.interest_names };
}
