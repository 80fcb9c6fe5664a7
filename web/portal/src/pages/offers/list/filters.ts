/** What the list shows: search, filters and order. They are part of the page's address, so that a view can be bookmarked and shared. */
import { offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { type OfferSort, offerSorts } from '@offer-ads/contracts/values/offers-list';
import { queryOf } from '../../../../../ui/query-of.ts';
import { endOfDay } from '../../../../../ui/time-text.ts';

export const statusFilters = [
  ['awaiting_payment', 'Awaiting Payment'],
  ['scheduled', 'Scheduled'],
  ['active', 'Active'],
  ['paused', 'Paused'],
  ['ended', 'Ended'],
  ['deleted', 'Deleted'],
] as const;

export const sortLabels: Readonly<Record<OfferSort, string>> = {
  newest: 'Newest',
  ending_soon: 'Ending soon',
  most_views: 'Most views',
  most_clicks: 'Most clicks',
  most_spend: 'Most spend',
};

export type Filters = {
  /** A part of the title, or a number; '' means no search. */
  readonly search: string;
  /** '' means all but deleted ones. */
  readonly status: string;
  readonly disabled: boolean;
  /** Local days, `2027-01-31`; '' means no limit. */
  readonly from: string;
  readonly to: string;
  readonly sort: OfferSort;
};

export function readFilters(query: Readonly<Record<string, string>>): Filters {
  const day = (text = '') => (endOfDay(text) === null ? '' : text);
  return {
    search: (query['search'] ?? '').trim().slice(0, offerTexts.title.atMost),
    status: statusFilters.some(([status]) => status === query['state']) ? (query['state'] ?? '') : '',
    disabled: query['disabled'] === 'yes',
    from: day(query['from']),
    to: day(query['to']),
    sort: offerSorts.find((sort) => sort === query['sort']) ?? 'newest',
  };
}

/** Whether the list leaves offers out, apart from deleted ones. */
export function isFiltered({ search, status, disabled, from, to }: Filters): boolean {
  return search !== '' || status !== '' || disabled || from !== '' || to !== '';
}

/** The view as a query string for the address; '' for the usual one. */
export function filterAddress({ search, status, disabled, from, to, sort }: Filters): string {
  return queryOf({
    search,
    state: status,
    disabled: disabled ? 'yes' : '',
    from,
    to,
    sort: sort === 'newest' ? '' : sort,
  });
}

/** A page of the list for the API. */
export function listQuery(filters: Filters, cursor: string | null): string {
  return queryOf({ limit: '20', ...parametersOf(filters), sort: filters.sort, cursor });
}

/** The same offers for the API's file, in its own order. @param columns `import`: those of a file to import */
export function exportQuery(filters: Filters, columns: 'import' | null = null): string {
  return queryOf({ ...parametersOf(filters), columns });
}

function parametersOf({ search, status, disabled, from, to }: Filters) {
  const end = endOfDay(to);
  return {
    search,
    offer_status: status,
    status: disabled ? 'disabled' : '',
    // Whole days of the local time zone, including the last one.
    created_after: from === '' ? '' : new Date(`${from}T00:00`).toISOString(),
    created_before: end === null ? '' : new Date(end.getTime() - 1).toISOString(),
  };
}
