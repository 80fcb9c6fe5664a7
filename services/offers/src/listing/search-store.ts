/**
 * The SQL of the staff's search over all offers, newest first. Each page reads a bounded number of rows, for every combination of filters:
 * what no index finds is looked for among the newest offers, and the next page looks further. migrations/0001_offers.sql says which index
 * serves which filter.
 */
import type { OfferFilter } from '@offer-ads/contracts/admin/offers-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { ListingPlace } from '../domain/listing-query.ts';
import type { Offer } from '../domain/offer.ts';
import { wordsOf } from '../domain/search-words.ts';
import { type OfferRow, toOffer } from '../offers-store.ts';
import { momentSql, statusAtSql, waitsForReviewSql, withClockSql } from '../status-sql.ts';

/** What is left out does not restrict the search. */
export type OfferSearch = {
  readonly organisationId?: number | undefined;
  readonly mode?: Mode | undefined;
  /** Words with which words of the title begin. */
  readonly title?: string | undefined;
  readonly state?: OfferFilter | undefined;
  readonly after: ListingPlace | null;
  readonly limit: number;
};

/** `next`: where the next page begins; null: nothing is left. A page may be shorter than its limit and have a next one. */
export type SearchPage = { readonly offers: readonly Offer[]; readonly next: ListingPlace | null };

/** Reading so many rows takes some tens of milliseconds. */
const MAX_LOOKED_AT = 20_000;

export async function searchOffers(
  db: Queryable,
  search: OfferSearch,
  now: Date,
  lookedAt = MAX_LOOKED_AT,
): Promise<SearchPage> {
  const values: unknown[] = [];
  const given = (value: unknown) => `$${values.push(value)}` as const;
  const { limit } = search;
  // Of an organisation by its listing's index, of all organisations by the primary key: ids are given in the order of creation.
  const order = search.organisationId === undefined ? 'offer_id DESC' : 'created_at DESC, offer_id DESC';
  const status = search.state && statusOf[search.state];
  const depth = given(status === undefined ? limit + 1 : lookedAt);
  const conditions = [...conditionsOf(search, given), ...(status?.indexed ?? [])].join(' AND ');
  const modes =
    search.organisationId !== undefined && search.mode === undefined
      ? (['TEST', 'LIVE'] as const)
      : [search.mode];
  // One range of the index for each mode.
  const ranges = modes.map((mode) => {
    const ofMode = mode === undefined ? '' : ` AND mode = ${given(mode)}`;
    return `(SELECT * FROM offers WHERE ${conditions}${ofMode} ORDER BY ${order} LIMIT ${depth})`;
  });
  const looked = `SELECT * FROM (${ranges.join(' UNION ALL ')}) AS ranges ORDER BY ${order} LIMIT ${depth}`;
  const lookedValues = [...values];
  const rows = await db.query<OfferRow>(
    `SELECT looked.* FROM (${looked}) AS looked
     ${withClockSql('looked')}
     WHERE ${status?.now === undefined ? 'true' : `${statusAtSql(momentSql(given(now)))} = ${given(status.now)}`}
     ORDER BY ${order} LIMIT ${given(limit + 1)}`,
    values,
  );
  const offers = rows.slice(0, limit).map(toOffer);
  if (rows.length > limit) return { offers, next: placeOf(offers.at(-1)) };
  if (status?.now === undefined) return { offers, next: null };
  // Fewer matched than were asked for: the next page begins after the last row that was looked at.
  const [last] = await db.query<{ createdAt: Date; offerId: number }>(
    `SELECT created_at AS "createdAt", offer_id AS "offerId" FROM (${looked}) AS looked
     ORDER BY ${order} OFFSET ${lookedAt - 1} LIMIT 1`,
    lookedValues,
  );
  return { offers, next: last ?? null };
}

/** What a filter asks for: conditions that an index serves, and a status at the present moment, which no index holds. */
const statusOf: Readonly<Record<OfferFilter, { indexed?: readonly string[]; now?: string }>> = {
  'Awaiting Payment': { now: 'awaiting_payment' },
  Scheduled: { now: 'scheduled' },
  Active: { now: 'active' },
  Paused: { now: 'paused' },
  Ended: { now: 'ended' },
  Deleted: { indexed: ['deleted_at IS NOT NULL'] },
  Disabled: { indexed: ['disabled_since IS NOT NULL'] },
};

function conditionsOf(
  { organisationId, title, state, after }: OfferSearch,
  given: (value: unknown) => `$${number}`,
): string[] {
  const words = wordsOf(title ?? '');
  return [
    'shown_at IS NOT NULL',
    ...(state === 'Deleted' ? [] : ['deleted_at IS NULL']),
    ...(organisationId === undefined ? [] : [`organisation_id = ${given(organisationId)}`]),
    ...(words.length === 0
      ? []
      : [
          `offer_title_words(title) @@ to_tsquery('simple', ${given(words.map((word) => `${word}:*`).join(' & '))})`,
        ]),
    ...(after === null
      ? []
      : organisationId === undefined
        ? [`offer_id < ${given(after.offerId)}`]
        : [`(created_at, offer_id) < (${given(after.createdAt)}, ${given(after.offerId)})`]),
  ];
}

/** Offers that wait for a review, by mode. The count stops at `atMost`. */
export async function countWaitingForReview(db: Queryable, mode: Mode, atMost: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM (
       SELECT FROM offers
       WHERE mode = $1 AND ${waitsForReviewSql}
       ORDER BY review_waiting_since, offer_id LIMIT $2
     ) AS waiting`,
    [mode, atMost],
  );
  return row?.count ?? 0;
}

/** An offer that was shown less than half its fair share, with the figures of both. */
export type Neglected = {
  readonly offerId: number;
  readonly organisationId: number;
  readonly mode: Mode;
  readonly title: string;
  readonly matched: number;
  readonly fairShare: number;
  readonly shown: number;
};

/** Since the given hour; those that lack most first. Few placements say nothing. */
export async function findNeglected(
  on: Queryable,
  o: { readonly since: Date; readonly atLeastShare: number; readonly atMost: number },
): Promise<Neglected[]> {
  return on.query<Neglected>(
    `SELECT offers.offer_id AS "offerId", organisation_id AS "organisationId", mode, title, sum(matched)::integer AS matched,
            sum(fair_share)::double precision AS "fairShare", sum(placement_shares.shown)::integer AS shown
     FROM placement_shares JOIN offers USING (offer_id) WHERE hour >= $1
     GROUP BY offers.offer_id
     HAVING sum(fair_share) >= $2 AND sum(placement_shares.shown) < sum(fair_share) / 2
     ORDER BY sum(fair_share) - sum(placement_shares.shown) DESC, offers.offer_id LIMIT $3`,
    [o.since, o.atLeastShare, o.atMost],
  );
}

function placeOf(offer: Offer | undefined): ListingPlace | null {
  return offer === undefined ? null : { createdAt: offer.createdAt, offerId: offer.offerId };
}
