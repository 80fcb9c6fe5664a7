/** The filter of the call log. It is part of the page's address, so that a view can be bookmarked and shared. */
import { queryOf } from '../../../../ui/query-of.ts';

export type CallFilter = {
  readonly key: string;
  readonly route: string;
  readonly status: string;
  /** As in the reply's X-Request-Id. */
  readonly request: string;
  /** Instants in ISO 8601, because the reader of the address may be in another time zone. */
  readonly from: string;
  readonly to: string;
};

/** Reads the filter from the address; ignores invalid values. */
export function filterOf(query: Readonly<Record<string, string>>): CallFilter {
  const text = (name: keyof CallFilter) => query[name] ?? '';
  return {
    key: /^[1-9]\d{0,9}$/.test(text('key')) ? text('key') : '',
    route: text('route'),
    status: /^([1-5]\d\d|[2-5]xx)$/.test(text('status')) ? text('status') : '',
    request: text('request').trim(),
    from: instantIn(text('from')),
    to: instantIn(text('to')),
  };
}

/** A page of the log for the API. */
export function requestOf({ key, request, ...others }: CallFilter, cursor: string | null): string {
  return `/calls${queryOf({ key_id: key, request_id: request, ...others, cursor, limit: '50' })}`;
}

export function isFiltered(filter: CallFilter): boolean {
  return Object.values(filter).some((value) => value !== '');
}

function instantIn(text: string): string {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

/** Routes as in the log. Requests to unknown endpoints are logged as "unmatched". */
export const routes = [
  'GET /categories',
  'GET /interests',
  'GET /key',
  'GET /balance',
  'GET /balance/entries',
  'GET /test/clock',
  'POST /test/clock',
  'DELETE /test/clock',
  'POST /offers/price-estimate',
  'POST /offers',
  'GET /offers',
  'GET /offers/{offer_id}',
  'PATCH /offers/{offer_id}',
  'POST /offers/{offer_id}/pause',
  'POST /offers/{offer_id}/resume',
  'GET /offers/{offer_id}/analytics',
  'GET /offers/{offer_id}/analytics/series',
  'GET /offers/{offer_id}/results',
  'GET /offers/{offer_id}/changes',
  'GET /results',
  'POST /offers/{offer_id}/credit-estimate',
  'DELETE /offers/{offer_id}',
  'POST /offer-groups/price-estimate',
  'POST /offer-groups',
  'GET /offer-groups/{group_id}',
  'GET /offer-groups/{group_id}/analytics/series',
  'POST /offer-groups/{group_id}/pause',
  'POST /offer-groups/{group_id}/resume',
  'PATCH /offer-groups/{group_id}',
  'DELETE /offer-groups/{group_id}',
  'POST /webhooks',
  'GET /webhooks',
  'GET /webhooks/{webhook_id}',
  'PUT /webhooks/{webhook_id}',
  'DELETE /webhooks/{webhook_id}',
  'POST /webhooks/{webhook_id}/test',
  'GET /webhooks/{webhook_id}/messages',
  'POST /webhooks/{webhook_id}/messages/{message_id}/resend',
  'POST /webhooks/{webhook_id}/resend',
  'POST /webhooks/{webhook_id}/roll-secret',
  'POST /webhooks/{webhook_id}/disable',
  'POST /webhooks/{webhook_id}/enable',
  'POST /mcp',
] as const;

export const statusClasses = { '2xx': 'Success', '4xx': 'Refused', '5xx': 'Failed' } as const;
export const statuses = [
  '200',
  '400',
  '401',
  '403',
  '404',
  '409',
  '422',
  '429',
  '499',
  '500',
  '503',
] as const;
