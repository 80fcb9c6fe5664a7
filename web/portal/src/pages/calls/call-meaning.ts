/** The result of a logged call, and its entry in the guides. */
import { slugs } from '../../../../docs/slug.ts';

type Logged = { readonly route: string; readonly status: number; readonly returnCode: string | null };

export type Heed = 'good' | 'warning' | 'problem';

/** A refusal may have status 200 and a code that begins with E (specification, Errors). */
export function heedOf({ status, returnCode }: Omit<Logged, 'route'>): Heed {
  if (status >= 500) return 'problem';
  return status >= 400 || returnCode?.startsWith('E') === true ? 'warning' : 'good';
}

/** A call to an address, or with a method, that no endpoint has. The log keeps no such address (decision 27, call log). */
export function isUnmatched({ route }: Pick<Logged, 'route'>): boolean {
  return route.endsWith(' unmatched');
}

/** Messages of a refusal, with the heading that the guide gives them, if any. */
export type MessageList = { readonly heading: string | null; readonly messages: readonly string[] };
export type Entry = { readonly paragraphs: readonly string[]; readonly lists: readonly MessageList[] };
/** A paragraph has a text, a list has messages. */
export type EntryPart = { readonly text: string } | { readonly messages: readonly string[] };

/** An entry of the guide from its parts: a paragraph before a list is its heading when it ends with a colon. */
export function entryOf(parts: readonly EntryPart[]): Entry {
  const paragraphs: string[] = [];
  const lists: MessageList[] = [];
  for (const part of parts) {
    if ('text' in part) paragraphs.push(part.text);
    else {
      const heading = paragraphs.at(-1)?.endsWith(':') === true ? (paragraphs.pop() ?? null) : null;
      lists.push({ heading, messages: part.messages });
    }
  }
  return { paragraphs, lists };
}

/** Refusals without a code that only one endpoint has. */
const withoutCode = new Set([
  'POST /offers 429',
  'GET /offers/{offer_id}/analytics 401',
  'POST /webhooks 422',
]);
/** Refusals with one entry for several endpoints, which its heading names so. */
const groups: readonly [heading: string, route: RegExp, refusals: readonly string[]][] = [
  ['A webhook', /webhook_id/, ['404 E2']],
  ['A disabled webhook', /^POST .*\/(test|resend)$/, ['409 E5']],
  ['A webhook call with a body', /webhooks/, ['413 E1', '415 E1']],
  ['The test clock', /\/test\/clock$/, ['403 E1']],
  ['An offer', /\{offer_id\}(?!\/analytics$)/, ['401 E1']],
  [
    'A form of an offer',
    /^(POST \/offers|PATCH \/offers\/\{offer_id\})$/,
    ['403 E9', '409', '415 E1', '422'],
  ],
];
const ofAnyEndpoint = new Set([401, 429, 500, 503]);

/** The entry in the guide to errors; null when the call succeeded or the caller disconnected before the reply. */
export function guideTo(call: Logged): string | null {
  if (heedOf(call) === 'good' || call.status === 499) return null;
  return `/docs/errors#${slugs()(headingOf(call))}`;
}

function headingOf({ route, status, returnCode }: Logged): string {
  if (isUnmatched({ route })) return 'Not from an endpoint';
  const hasCode = returnCode?.startsWith('E') === true;
  const refusal = hasCode ? `${status} ${returnCode}` : `${status}`;
  const group = groups.find(([, routes, refusals]) => routes.test(route) && refusals.includes(refusal));
  if (group !== undefined) return `${group[0]} ${refusal}`;
  // A 401 or 403 with a code is about the key, unless it is about an offer, the terms or the test clock.
  if (hasCode) return `${status === 401 || refusal === '403 E1' ? 'Any endpoint' : route} ${refusal}`;
  if (withoutCode.has(`${route} ${status}`)) return `${route} ${status}`;
  return ofAnyEndpoint.has(status) ? `Any endpoint ${status}` : 'Not from an endpoint';
}
