/**
 * The query of GET /offers: its rules, and the cursor that marks a place in the listing (decisions 18a, forms and formats, and 22, order of
 * the listing).
 */
import { dateTimeFault, parseDateTime } from '@offer-ads/contracts/values/date-time';
import { pageLimits } from '@offer-ads/contracts/values/offer-limits';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { isOfferId } from './offer-id.ts';

/** The place of an offer in the listing, which is sorted by creation time and id, newest first. */
export type ListingPlace = { readonly createdAt: Date; readonly offerId: number };

const listedStatuses = ['awaiting_payment', 'active', 'paused', 'ended'] as const;
/** The portal can also filter by Scheduled, which the specification's filter does not have. */
export const portalStatuses = ['awaiting_payment', 'scheduled', 'active', 'paused', 'ended'] as const;
export type ListedStatus = (typeof portalStatuses)[number];

export type ListingQuery = {
  readonly limit: number;
  readonly after: ListingPlace | null;
  readonly status: ListedStatus | null;
  /** Only offers that an admin of the platform has disabled. */
  readonly onlyDisabled?: true;
  /** Deleted offers instead of all others. */
  readonly onlyDeleted?: true;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
};

/** The filters of a listing: those of the specification; the portal has more. */
type Filters = { readonly statuses: readonly ListedStatus[]; readonly knowsDisabled: boolean };
const publicFilters: Filters = { statuses: listedStatuses, knowsDisabled: false };
export const portalFilters: Filters = { statuses: portalStatuses, knowsDisabled: true };

export type ListingQueryResult =
  | { readonly ok: true; readonly query: ListingQuery }
  | { readonly ok: false; readonly reason: 'other-mode' }
  | { readonly ok: false; readonly reason: 'invalid-query'; readonly faults: readonly string[] };

/** A parsed query string; a repeated parameter is an array. */
export type QueryParameters = Readonly<Record<string, unknown>>;

export function readListingQuery(
  parameters: QueryParameters,
  keyMode: Mode,
  { statuses, knowsDisabled }: Filters = publicFilters,
): ListingQueryResult {
  const { environment } = parameters;
  const named = typeof environment === 'string' ? environment.toUpperCase() : undefined;
  if ((named === 'TEST' || named === 'LIVE') && named !== keyMode) return { ok: false, reason: 'other-mode' };

  const faults: string[] = [];
  if (named !== keyMode) faults.push('environment must be test or live');
  const read = readerOf(parameters, faults);
  const readDateTime = (name: string) => read(name, dateTimeFault(parameters[name]), parseDateTime);
  const query = {
    ...readPlace(read, parseCursor),
    status: read('offer_status', `must be one of ${statuses.join(', ')}`, (text) =>
      statuses.find((status) => status === text.toLowerCase()),
    ),
    createdAfter: readDateTime('created_after'),
    createdBefore: readDateTime('created_before'),
  };
  const disabled = knowsDisabled
    ? read('status', 'must be disabled', (text) => text === 'disabled' || undefined)
    : null;
  const filtered = disabled === null ? query : ({ ...query, onlyDisabled: true } as const);
  return faults.length === 0 ? { ok: true, query: filtered } : { ok: false, reason: 'invalid-query', faults };
}

/** The query of GET /offers/{offer_id}/changes: the page begins before the change of its cursor. */
export function readPage(
  parameters: QueryParameters,
):
  | { readonly ok: true; readonly query: { readonly limit: number; readonly before: number | null } }
  | Extract<ListingQueryResult, { readonly reason: 'invalid-query' }> {
  const faults: string[] = [];
  const { limit, after: before } = readPlace(readerOf(parameters, faults), (text) =>
    /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined,
  );
  return faults.length === 0
    ? { ok: true, query: { limit, before } }
    : { ok: false, reason: 'invalid-query', faults };
}

type Reader = <T>(name: string, rule: string, parse: (text: string) => T | undefined) => T | null;

/** Null if omitted; records a fault if the value cannot be read. */
function readerOf(parameters: QueryParameters, faults: string[]): Reader {
  return (name, rule, parse) => {
    const given = parameters[name];
    if (given === undefined) return null;
    const value = typeof given === 'string' ? parse(given) : undefined;
    if (value === undefined) faults.push(`${name} ${rule}`);
    return value ?? null;
  };
}

function readPlace<Place>(read: Reader, parse: (text: string) => Place | undefined) {
  return {
    limit:
      read('limit', `must be a whole number from 1 to ${pageLimits.most}`, parseLimit) ?? pageLimits.standard,
    after: read('cursor', 'must be the next_cursor of an earlier page', parse),
  };
}

/**
 * The page contains the offers after this place. It is the older one of the cursor's place and of the upper limit that `created_before`
 * sets. Null: the page begins with the newest offer.
 */
export function placeBefore({ after, createdBefore }: ListingQuery): ListingPlace | null {
  if (createdBefore === null) return after;
  // Creation times are whole milliseconds.
  const bound = { createdAt: new Date(createdBefore.getTime() + 1), offerId: 0 };
  return after === null || bound.createdAt <= after.createdAt ? bound : after;
}

function parseLimit(text: string): number | undefined {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= pageLimits.most ? limit : undefined;
}

/** Base 36 keeps the token short; callers treat it as opaque. */
export function writeCursor(place: ListingPlace): string {
  return `${place.createdAt.getTime().toString(36)}-${place.offerId.toString(36)}`;
}

export function parseCursor(text: string): ListingPlace | undefined {
  const match = /^([0-9a-z]{1,10})-([0-9a-z]{1,6})$/.exec(text);
  if (match === null) return undefined;
  const [, time = '', id = ''] = match;
  const place = { createdAt: new Date(Number.parseInt(time, 36)), offerId: Number.parseInt(id, 36) };
  const isOurs =
    isOfferId(place.offerId) && !Number.isNaN(place.createdAt.getTime()) && writeCursor(place) === text;
  return isOurs ? place : undefined;
}
