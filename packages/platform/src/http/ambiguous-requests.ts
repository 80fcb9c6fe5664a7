/**
 * Refuses requests that two servers in a row could read differently: this is how request smuggling works (RFC 9112, sections 3.2, 6.1
 * and 11.2), and requests without a proper Host (section 3.2). Node's parser refuses most of the former; this refuses the rest.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { sendJson } from './replies.ts';

type Ambiguity = 'unknown-version' | 'unknown-coding' | 'no-host' | 'several-hosts' | 'malformed-host';

const replies = {
  'unknown-version': { status: 505, message: 'HTTP version not supported' },
  'unknown-coding': { status: 400, message: 'Bad request' },
  'no-host': { status: 400, message: 'Send a Host header with the name of this server' },
  'several-hosts': { status: 400, message: 'Send one Host header, not several' },
  'malformed-host': { status: 400, message: 'Host must be a name or an address, with or without a port' },
} satisfies Record<Ambiguity, { status: number; message: string }>;

/** Marks connections on which the start of the next request is unknown: what Node takes for one is neither served nor answered. */
const refused = Symbol('refused as ambiguous');
type Connection = Socket & { [refused]?: boolean };

/** @returns whether the request was refused; its connection is then closed */
export function refuseAmbiguous(req: IncomingMessage, res: ServerResponse): boolean {
  const connection: Connection = req.socket;
  if (connection[refused] === true) return true;
  const ambiguity = ambiguityOf(req);
  if (ambiguity === null) return false;
  connection[refused] = true;
  const { status, message } = replies[ambiguity];
  res.setHeader('Connection', 'close');
  sendJson(res, status, { message });
  return true;
}

/** Requests to proxies have the server's address in the request line; this removes it (RFC 9112, 3.2.2). */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function ambiguityOf(req: IncomingMessage): Ambiguity | null {
  const { httpVersion } = req;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'unknown-version';
  const coding = req.headers['transfer-encoding'];
  // HTTP/1.0 has no transfer codings, and with an unknown coding the end of the body is unknown.
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return 'unknown-coding';
  }
  const hosts = countHosts(req.rawHeaders);
  if (hosts > 1) return 'several-hosts';
  if (hosts === 0) return httpVersion === '1.1' ? 'no-host' : null;
  return wellFormedHost.test(req.headers.host ?? '') ? null : 'malformed-host';
}

/** RFC 3986, 3.2.2 and 3.2.3; an address of IPv6 is in brackets. */
const wellFormedHost = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/i;

/** Counted in the raw headers, because Node keeps only the first one. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
