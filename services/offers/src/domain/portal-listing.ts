/** The query of the portal's list of offers: beyond that of GET /offers, it searches titles, sorts, and lists deleted offers. */

import { offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { type OfferSort, offerSorts } from '@offer-ads/contracts/values/offers-list';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import {
  type ListingQuery,
  type ListingQueryResult,
  portalFilters,
  type QueryParameters,
  readListingQuery,
} from './listing-query.ts';
import { isOfferId } from './offer-id.ts';

/** The place of an offer in a list that is sorted by a number: descending, or ascending for `ending_soon`. */
export type RankedPlace = { readonly rank: number; readonly offerId: number };

export type PortalQuery = ListingQuery & {
  /** A part of the title, in upper or lower case, or the number of an offer. */
  readonly search: string | null;
  readonly sort: OfferSort;
  /** For every sort but `newest`, which has `after`. */
  readonly afterRanked: RankedPlace | null;
};

export type PortalQueryResult =
  | { readonly ok: true; readonly query: PortalQuery }
  | Exclude<ListingQueryResult, { readonly ok: true }>;

export function readPortalQuery(parameters: QueryParameters, mode: Mode): PortalQueryResult {
  const { search: searched, sort: sorted, cursor, ...others } = parameters;
  const faults: string[] = [];
  const search = readSearch(searched);
  if (search === undefined)
    faults.push(`search must be a text of at most ${offerTexts.title.atMost} characters`);
  const sort = sorted === undefined ? 'newest' : offerSorts.find((known) => known === sorted);
  if (sort === undefined) faults.push(`sort must be one of ${offerSorts.join(', ')}`);
  const isRanked = sort !== undefined && sort !== 'newest';
  const afterRanked = isRanked && cursor !== undefined ? parseRankedCursor(sort, cursor) : null;
  if (afterRanked === undefined)
    faults.push('cursor must be the next_cursor of an earlier page with the same sort');
  const { offer_status: status, ...withoutStatus } = others;
  const onlyDeleted = typeof status === 'string' && status.toLowerCase() === 'deleted';
  const read = readListingQuery(
    {
      environment: mode,
      ...(onlyDeleted ? withoutStatus : others),
      ...(isRanked || cursor === undefined ? {} : { cursor }),
    },
    mode,
    portalFilters,
  );
  if (!read.ok && read.reason === 'other-mode') return read;
  if (!read.ok) return { ...read, faults: [...read.faults, ...faults] };
  if (search === undefined || sort === undefined || afterRanked === undefined)
    return { ok: false, reason: 'invalid-query', faults };
  const query = { ...read.query, search, sort, afterRanked };
  return { ok: true, query: onlyDeleted ? { ...query, onlyDeleted } : query };
}

/** Null: nothing is searched. */
function readSearch(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value.includes('\0')) return undefined;
  const text = value.trim();
  if (Array.from(text).length > offerTexts.title.atMost) return undefined;
  return text === '' ? null : text;
}

/** The number of an offer, if the text can be one. */
export function numberIn(search: string): number | null {
  const number = /^\d{1,10}$/.test(search) ? Number(search) : 0;
  return isOfferId(number) ? number : null;
}

/** Distinct from the cursors of `newest`, and per sort: a cursor of one sort names no place in another. */
export function writeRankedCursor(sort: OfferSort, { rank, offerId }: RankedPlace): string {
  return `${offerSorts.indexOf(sort)}.${rank.toString(36)}.${offerId.toString(36)}`;
}

function parseRankedCursor(sort: OfferSort, value: unknown): RankedPlace | undefined {
  const match = /^\d\.([0-9a-z]{1,11})\.([0-9a-z]{1,6})$/.exec(typeof value === 'string' ? value : '');
  if (match === null) return undefined;
  const [, rank = '', id = ''] = match;
  const place = { rank: Number.parseInt(rank, 36), offerId: Number.parseInt(id, 36) };
  const isTime = sort !== 'ending_soon' || !Number.isNaN(new Date(place.rank).getTime());
  const isOurs = isTime && isOfferId(place.offerId) && writeRankedCursor(sort, place) === value;
  return isOurs ? place : undefined;
}
