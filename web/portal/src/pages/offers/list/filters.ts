/** The filters of the list. They are part of the page's address, so that a view can be bookmarked and shared. */
import { endOfDay } from '../../../../../ui/time-text.ts';

export const statusFilters = [
  ['awaiting_payment', 'Awaiting Payment'],
  ['scheduled', 'Scheduled'],
  ['active', 'Active'],
  ['paused', 'Paused'],
  ['ended', 'Ended'],
] as const;

export type Filters = {
  /** '' means all. */
  readonly status: string;
  readonly disabled: boolean;
  /** Local days, `2027-01-31`; '' means no limit. */
  readonly from: string;
  readonly to: string;
};

export function readFilters(query: Readonly<Record<string, string>>): Filters {
  const day = (text = '') => (endOfDay(text) === null ? '' : text);
  return {
    status: statusFilters.some(([status]) => status === query['state']) ? (query['state'] ?? '') : '',
    disabled: query['disabled'] === 'yes',
    from: day(query['from']),
    to: day(query['to']),
  };
}

/** The filters as a query string for the address; '' without any. */
export function filterAddress({ status, disabled, from, to }: Filters): string {
  const query = new URLSearchParams({
    ...(status === '' ? {} : { state: status }),
    ...(disabled ? { disabled: 'yes' } : {}),
    ...(from === '' ? {} : { from }),
    ...(to === '' ? {} : { to }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}

/** The filters for the API: whole days of the local time zone, including the last one. */
export function listQuery({ status, disabled, from, to }: Filters, cursor: string | null): string {
  const end = endOfDay(to);
  return new URLSearchParams({
    limit: '20',
    ...(status === '' ? {} : { offer_status: status }),
    ...(disabled ? { status: 'disabled' } : {}),
    ...(from === '' ? {} : { created_after: startOfDay(from).toISOString() }),
    ...(end === null ? {} : { created_before: new Date(end.getTime() - 1).toISOString() }),
    ...(cursor === null ? {} : { cursor }),
  }).toString();
}

function startOfDay(day: string): Date {
  return new Date(`${day}T00:00`);
}
