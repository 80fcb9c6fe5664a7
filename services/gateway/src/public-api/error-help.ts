/**
 * Tells callers which entries of the guide of errors explain a refusal, as links (RFC 8288, `rel="help"`). They are in a header, because the
 * specification fixes the bodies of refusals.
 */
import type { ServerResponse } from 'node:http';
import { returnCodeOf } from './call-log.ts';
import type { Endpoint } from './endpoints.ts';

/** @returns the value of `Link`; undefined if the guide has no entry, as for a success */
export type ErrorHelp = (
  endpoint: Pick<Endpoint, 'method' | 'path'>,
  status: number,
  code: string | null,
) => string | undefined;

/** Names of entries that hold for several endpoints, by the beginning of their paths. */
const shared = [
  { path: '/webhooks', names: ['A webhook', 'A disabled webhook', 'A webhook call with a body'] },
  { path: '/test/clock', names: ['The test clock'] },
  { path: '/offers', names: ['An offer', 'A form of an offer'] },
  { path: '/', names: ['Any endpoint'] },
] as const;

/** @param page the guide of errors as HTML, whose headings have ids */
export function errorHelp(page: string, publicUrl: string): ErrorHelp {
  const sections = new Set([...page.matchAll(/<h3 id="([^"]+)"/g)].map(([, id = '']) => id));
  return ({ method, path }, status, code) => {
    const found = (names: readonly string[]) =>
      names
        .map((name) => sectionOf(`${name} ${status}${code === null ? '' : ` ${code}`}`))
        .filter((section) => sections.has(section));
    const own = found([`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`]);
    const fitting = shared.filter((each) => path.startsWith(each.path)).flatMap(({ names }) => names);
    const links = (own.length > 0 ? own : found(fitting)).map(
      (section) => `<${publicUrl}/docs/errors#${section}>; rel="help"`,
    );
    return links.length === 0 ? undefined : links.join(', ');
  };
}

/** As the guide's headings are named (web/docs/slug.ts). */
function sectionOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** Adds the links to whatever answers: status and code are known only when the head of the reply is written. */
export function linkHelp(res: ServerResponse, endpoint: Endpoint, help: ErrorHelp): void {
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  res.writeHead = (status: number, ...rest: unknown[]) => {
    const link = help(endpoint, status, returnCodeOf(res));
    if (link !== undefined) res.setHeader('Link', link);
    return writeHead(status, ...rest);
  };
}
