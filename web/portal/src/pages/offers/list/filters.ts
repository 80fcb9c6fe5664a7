/** Which offers a list shows: in the address, so that it can be kept and sent around. */
import { endOfDay } from '../../../../../ui/time-text.ts';

export const statusFilters = [
  ['awaiting_payment', 'Awaiting Payment'],
  ['scheduled', 'Scheduled'],
  ['active', 'Active'],
  ['paused', 'Paused'],
  ['ended', 'Ended'],
] as const;

export type Filters = {
  /** '' is all. */
  readonly status: string;
  readonly disabled: boolean;
  /** Days here, `2027-01-31`; '' is without end. */
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

/** As the address has them; '' without any. */
export function filterAddress({ status, disabled, from, to }: Filters): string {
  const query = new URLSearchParams({
    ...(status === '' ? {} : { state: status }),
    ...(disabled ? { disabled: 'yes' } : {}),
    ...(from === '' ? {} : { from }),
    ...(to === '' ? {} : { to }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}

/** As the API takes them: whole days of this time zone, the last one included. */
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
