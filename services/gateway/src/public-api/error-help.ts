/**
 * Which entries of the guide of errors explain a refusal. Callers get links to them in a header (RFC 8288, `rel="help"`), because the
 * specification fixes the bodies of refusals; people read the first of them in the portal's call log.
 */
import type { ServerResponse } from 'node:http';
import { callerGoneStatus } from '@offer-ads/platform/process/faults';
import { loggedRoute, returnCodeOf } from './call-log.ts';
import type { Endpoint } from './endpoints.ts';

/**
 * @param route as in the call log
 * @returns ids of headings, the most likely one first; none if the guide has no entry, as for a success
 */
export type ErrorHelp = (route: string, status: number, code: string | null) => readonly string[];

/** What entries for several endpoints are named by. */
const shared: readonly (readonly [name: string, routes: RegExp])[] = [
  ['A webhook', /webhook_id/],
  ['A disabled webhook', /^POST .*\/(test|resend)$/],
  ['A webhook call with a body', /\/webhooks/],
  ['A page', /\/(entries|changes)$/],
  ['The test clock', /\/test\/clock$/],
  ['An offer group', /\{group_id\}/],
  ['An offer', /\{offer_id\}/],
  ['A form of an offer', /^(POST \/offer(s|-groups)|PATCH .*)$/],
  ['Any endpoint', /^\w+ \//],
];

/** @param page the guide of errors as HTML, whose headings have ids */
export function errorHelp(page: string): ErrorHelp {
  const ids = new Set([...page.matchAll(/<h3 id="([^"]+)"/g)].map(([, id = '']) => id));
  return (route, status, code) => {
    const refusal = `${status}${code === null ? '' : ` ${code}`}`;
    const entries = (names: readonly string[]) =>
      names.map((name) => idOf(`${name} ${refusal}`)).filter((id) => ids.has(id));
    // The forms and the estimate of a group are refused like those of an offer.
    const own = entries([route.replace('/offer-groups', '/offers').replace('{group_id}', '{offer_id}')]);
    return own.length > 0
      ? own
      : entries(shared.filter(([, routes]) => routes.test(route)).map(([name]) => name));
  };
}

/** As the guide's headings are named (web/docs/slug.ts). */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** @returns the entry for a call in the log; null when it succeeded or the caller disconnected before the reply */
export function entryFor(
  help: ErrorHelp,
  { route, status, returnCode }: { route: string; status: number; returnCode: string | null },
): string | null {
  if (!isRefusal(status, returnCode) || status === callerGoneStatus) return null;
  return help(route, status, returnCode)[0] ?? 'not-from-an-endpoint';
}

function isRefusal(status: number, code: string | null): boolean {
  return status >= 400 || code?.startsWith('E') === true;
}

/** Adds the links to whatever answers: status and code are known only when the head of the reply is written. */
export function linkHelp(
  res: ServerResponse,
  { method, path }: Endpoint,
  { errorHelp: help, publicUrl }: { readonly errorHelp: ErrorHelp; readonly publicUrl: string },
): void {
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  res.writeHead = (status: number, ...rest: unknown[]) => {
    const code = returnCodeOf(res);
    const ids = isRefusal(status, code) ? help(loggedRoute(method.toUpperCase(), path), status, code) : [];
    const links = ids.map((id) => `<${publicUrl}/docs/errors#${id}>; rel="help"`);
    if (links.length > 0) res.setHeader('Link', links.join(', '));
    return writeHead(status, ...rest);
  };
}
