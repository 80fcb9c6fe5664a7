/**
 * The SQL of GET /offers: keyset pages, newest first (decision 22, order of the listing). A page reads about as many rows as it returns,
 * for every filter and every position; migrations/0001_offers.sql says which index serves which query.
 */
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import {
  type ListedStatus,
  type ListingPlace,
  type ListingQuery,
  placeBefore,
} from '../domain/listing-query.ts';
import type { Offer } from '../domain/offer.ts';
import {
  type OfferReference,
  type OfferRow,
  type Owner,
  referenceValues,
  thisOffer,
  toOffer,
} from '../offers-store.ts';
import { movedOnSql, statusAtSql } from '../status-sql.ts';

/** With the names that the listing shows instead of ids. */
export type ListedOffer = Offer & {
  readonly categoryName: string;
  readonly interestNames: readonly { readonly interest_id: number; readonly interest_name: string }[];
};

/** For the rows of `named`, which adds the two columns. */
const toListedOffer = toOffer as (row: OfferRow) => ListedOffer;

export type ListingPage = { readonly offers: readonly ListedOffer[]; readonly next: ListingPlace | null };

export async function listOffers(
  db: Queryable,
  owner: Owner,
  query: ListingQuery,
  now: Date,
): Promise<ListingPage> {
  // Reads one more than the page holds, to know whether there are more.
  const { sql, values } = newestOffers(owner, query, now, query.limit + 1);
  const rows = await db.query<OfferRow>(named(sql), values);
  return pageOf(rows.map(toListedOffer), query.limit);
}

export function pageOf<O extends ListedOffer>(
  found: readonly O[],
  limit: number,
): { readonly offers: readonly O[]; readonly next: ListingPlace | null } {
  const offers = found.slice(0, limit);
  const last = found.length > limit ? offers.at(-1) : undefined;
  return { offers, next: last === undefined ? null : { createdAt: last.createdAt, offerId: last.offerId } };
}

export type Statement = { readonly sql: string; readonly values: readonly unknown[] };

/**
 * At most `limit` of the offers that the query asks for, newest first.
 * @param columns with `created_at` and `offer_id`
 */
export function newestOffers(
  owner: Owner,
  query: ListingQuery,
  now: Date,
  limit: number,
  columns = '*',
): Statement {
  const values = [...rangeOf(owner, query), limit];
  if (query.onlyDeleted)
    return { sql: inRange(columns, 'deleted_at IS NOT NULL AND shown_at IS NOT NULL'), values };
  if (query.onlyDisabled)
    return { sql: inRange(columns, listedAndDisabled), values: [...values, query.status, now] };
  if (query.status === null) return { sql: inRange(columns, listed), values };
  return { sql: inRangeByStatus(columns), values: [...values, query.status, now, filingOf(query.status)] };
}

/** The parameters of `range`, with owner and mode before them. */
export function rangeOf(owner: Owner, query: ListingQuery): readonly unknown[] {
  const before = placeBefore(query);
  return [
    owner.organisationId,
    owner.mode,
    before?.createdAt ?? 'infinity',
    before?.offerId ?? 0,
    query.createdAfter ?? '-infinity',
  ];
}

/** One offer as the listing shows it. */
export async function findListedOffer(db: Queryable, reference: OfferReference): Promise<ListedOffer | null> {
  const [row] = await db.query<OfferRow>(
    named(`SELECT * FROM offers WHERE ${thisOffer} AND deleted_at IS NULL`),
    referenceValues(reference),
  );
  return row === undefined ? null : toListedOffer(row);
}

/** Hides reservations of unfinished creations, and deleted offers. */
export const listed = 'deleted_at IS NULL AND shown_at IS NOT NULL';
/** Both bounds are always set, so that every page is one range of its index, in prepared statements too. */
export const range = '(created_at, offer_id) < ($3, $4) AND created_at >= $5';
export const newestFirst = 'ORDER BY created_at DESC, offer_id DESC';

const inRange = (columns: string, condition: string) => `SELECT ${columns} FROM offers
  WHERE organisation_id = $1 AND mode = $2 AND ${range} AND ${condition}
  ${newestFirst} LIMIT $6`;

/** A listing must be filtered before it is split into pages. */
const statusNow = statusAtSql('$8');

/**
 * The key under which `offer_filed_as` indexes the status. Offers that wait for their start share a key with those that have just begun.
 */
function filingOf(status: ListedStatus): string {
  return status === 'scheduled' ? 'waiting' : status;
}

const filedAs =
  'offer_filed_as(mode, payment_applied_at, paused_since, activation_announced_at, end_announced_at)';

/**
 * First select: offers indexed under the status that still have it. Second select: of the few offers that the clock has moved on since they
 * were indexed, those that have the status now. MATERIALIZED, so that Postgres looks up those few first and does not search for them in a
 * scan of all offers.
 */
const inRangeByStatus = (columns: string) => `WITH moved_on AS MATERIALIZED (
    SELECT * FROM offers
    WHERE organisation_id = $1 AND mode = $2 AND ${listed} AND ${movedOnSql('$8')})
  (SELECT ${columns} FROM offers
   WHERE organisation_id = $1 AND ${filedAs} = $2::text || ' ' || $9::text AND ${listed} AND ${range} AND ${statusNow} = $7
   ${newestFirst} LIMIT $6)
  UNION ALL
  (SELECT ${columns} FROM moved_on WHERE ${range} AND ${statusNow} = $7 ${newestFirst} LIMIT $6)
  ${newestFirst} LIMIT $6`;

/** Disabled offers are few and rarely listed, so this condition reads all offers of the organisation. */
const listedAndDisabled = `${listed} AND disabled_since IS NOT NULL AND ($7::text IS NULL OR ${statusNow} = $7::text)`;

/** Categories and interests may have become inactive; existing offers keep showing their names. */
export function named(page: string): string {
  return `SELECT page.*, category_name,
      ARRAY(SELECT json_build_object('interest_id', interest_id, 'interest_name', interest_name)
            FROM interests WHERE interest_id = ANY (page.interests) ORDER BY interest_id) AS interest_names
    FROM (${page}) AS page JOIN categories USING (category_id)
    ${newestFirst}`;
}
