/**
 * Sends one request to an address that a stranger chose. It must not reach anything inside the house (docs/adr/0035-webhooks.md):
 *
 * - The name is resolved once for each attempt, all its addresses are checked, and the connection goes to these addresses and no others.
 *   So a name that changes between the check and the connection, or between two attempts, gains nothing.
 * - No redirect is followed, no proxy is used, no connection is shared or kept, and certificates are always verified.
 * - The answer is read up to 4 KB, and everything together takes ten seconds at most.
 */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { Pool } from '@offer-ads/platform/http/undici';
import { isPublicAddress } from './public-address.ts';
import { type Reach, targetOf, targetProblems } from './target.ts';

/** Also the outcome when the answer ends later than the deadline or after 4 KB: the status is the answer, its text is only shown. */
type Answered = { readonly status: number /** The first kilobyte. */; readonly answer: string };
/** `problem` is shown to the advertiser. It names no address, because that could tell how the house is built. */
type Unanswered = { readonly status: undefined; readonly problem: string };
export type PostResult = (Answered | Unanswered) & { readonly tookMs: number };

export type WebhookPost = {
  readonly url: string;
  readonly reach: Reach;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Poster = (post: WebhookPost) => Promise<PostResult>;

const usualDeadlineMs = webhookLimits.answerSeconds * 1_000;
const readAtMostBytes = 4_096;
const shownBytes = 1_024;
/** More than any server sends; a connection holds as much in memory. */
const headersAtMostBytes = 16_384;

class Refused extends Error {}

/** All parameters are for tests. */
export function createPoster({
  resolve = resolveByDns,
  isPublic = isPublicAddress,
  deadlineMs = usualDeadlineMs,
  authorities,
}: {
  readonly resolve?: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly isPublic?: (address: string) => boolean;
  readonly deadlineMs?: number;
  readonly authorities?: string;
} = {}): Poster {
  async function post({ url: text, reach, headers, body }: WebhookPost): Promise<Answered | Unanswered> {
    const target = targetOf(text, reach);
    if (!target.ok) return { status: undefined, problem: targetProblems[target.reason] };
    const { url, host } = target;
    const untilMs = performance.now() + deadlineMs;
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const addresses = await addressesOf(host, signal);
      if (reach === 'public' && !addresses.every(isPublic)) throw new Refused(targetProblems['not-public']);
      return await send(url, { addresses, headers, body, signal, untilMs });
    } catch (error) {
      return { status: undefined, problem: problemOf(error, signal, deadlineMs) };
    }
  }

  async function addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    const addresses = await resolve(host, signal);
    if (addresses.length === 0) throw new Refused('the name has no address');
    return addresses;
  }

  async function send(
    url: URL,
    o: {
      readonly addresses: readonly string[];
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly signal: AbortSignal;
      readonly untilMs: number;
    },
  ): Promise<Answered> {
    const { signal, headers, body } = o;
    const leftMs = Math.max(1, Math.ceil(o.untilMs - performance.now()));
    const connections = new Pool(url.origin, {
      connections: 1,
      pipelining: 0,
      maxHeaderSize: headersAtMostBytes,
      headersTimeout: leftMs,
      bodyTimeout: leftMs,
      connect: {
        lookup: pinnedTo(o.addresses),
        rejectUnauthorized: true,
        allowH2: false,
        maxCachedSessions: 0,
        timeout: leftMs,
        ...(authorities === undefined ? {} : { ca: authorities }),
      },
    });
    try {
      const path = `${url.pathname}${url.search}`;
      const reply = await connections.request({ method: 'POST', path, headers, body, signal });
      return { status: reply.statusCode, answer: await beginningOf(reply.body) };
    } finally {
      // Ends an answer that goes on. Nobody waits for it: a connection that is still being made ends by its own time-out.
      connections.destroy().catch(() => {});
    }
  }

  return async (wanted) => {
    const begunAtMs = performance.now();
    const result = await post(wanted);
    return { ...result, tookMs: Math.round(performance.now() - begunAtMs) };
  };
}

/** Hands out the checked addresses, whatever the name resolves to by now. An address that is written in the URL is not looked up at all. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, answer) => {
    const [first] = pinned;
    if (options.all === true) answer(null, pinned);
    else answer(null, first?.address ?? '', first?.family);
  };
}

/**
 * By DNS alone: names of `/etc/hosts` are of the house. Node's `lookup` would also occupy one of the few threads of the process for as long as
 * a name server is silent.
 */
async function resolveByDns(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let readBytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      readBytes += chunk.length;
      if (readBytes >= readAtMostBytes) break;
    }
  } catch {
    // The status came, so the request was answered.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, shownBytes));
}

/** What Node's errors mean to the owner of the endpoint. */
const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  ETIMEDOUT: 'the connection was not answered',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not of a known authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not of a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not of a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is sent without its chain',
};

function problemOf(error: unknown, signal: AbortSignal, deadlineMs: number): string {
  if (error instanceof Refused) return error.message;
  if (signal.aborted) return `no answer came within ${deadlineMs / 1_000} s`;
  const code = codeOf(error);
  if (error instanceof Error && error.name === 'HTTPParserError') return 'the answer is not HTTP';
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'the encryption could not be agreed on';
  return problems[code] ?? `the request failed${code === '' ? '' : ` (${code})`}`;
}

/** Of a connection that was tried at several addresses, the error of the first one. */
function codeOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : '';
}
