/**
 * The limits of the public API: 60 requests a minute per client IP over all endpoints (specification, Limits), first of
 * all checks (decision 9, order of checks), and for a key that has one a limit of its own, counted once the key is
 * known.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson, tell } from '@offer-ads/platform/http/replies';
import { networkOf } from '../../domain/limits/client-network.ts';
import { memo } from '../../limits/memo.ts';
import type { Limit, RequestLimiter, Standing } from '../../limits/request-limiter.ts';
import type { ClientIp } from './client-ip.ts';

const perClientIp: Limit = { name: 'ip', requests: 60, windowSeconds: 60 };
const networkAt = memo(networkOf);

/** The addresses that the limits count as one client. */
export function clientNetwork(req: IncomingMessage, clientIp: ClientIp): string {
  return networkAt(clientIp(req));
}

export type Counted = { readonly limit: Limit; readonly standing: Standing };

/** Counts a request against its client's limit; null when that is used up and the reply is out. */
export function limitClient(
  req: IncomingMessage,
  res: ServerResponse,
  o: { clientIp: ClientIp; limiter: RequestLimiter },
): Promise<Counted | null> {
  return countRequest(res, o.limiter, { limit: perClientIp, client: clientNetwork(req, o.clientIp) });
}

/** Counts a request against its key's own limit too; null when that is used up and the reply is out. */
export function limitKey(
  res: ServerResponse,
  limiter: RequestLimiter,
  o: { keyId: number; requestsPerMinute: number; byClient: Counted },
): Promise<Counted | null> {
  const limit: Limit = { name: 'key', requests: o.requestsPerMinute, windowSeconds: 60 };
  return countRequest(res, limiter, { limit, client: String(o.keyId), before: o.byClient });
}

/**
 * Counts, tells it in the reply's fields, and refuses when the limit is used up: null then.
 * @param o.before another limit that the request was counted against, to be told too
 */
export async function countRequest(
  res: ServerResponse,
  limiter: RequestLimiter,
  o: { limit: Limit; client: string; before?: Counted },
): Promise<Counted | null> {
  const standing = await limiter.consume(o.limit, o.client);
  const counted = { limit: o.limit, standing };
  const fields = limitFields(o.before === undefined ? [counted] : [o.before, counted]);
  for (const [name, value] of fields) tell(res, name, value);
  if (standing.allowed) return counted;
  tell(res, 'Retry-After', standing.resetSeconds);
  sendJson(res, 429, { message: 'Too many requests' });
  return null;
}

/**
 * What a reply tells of the limits that its request was counted against (decision 21, rate limits): the `X-RateLimit`
 * fields describe the one with the fewest requests left, and `RateLimit-Policy` and `RateLimit` all of them, as
 * draft-ietf-httpapi-ratelimit-headers-11 has it.
 */
export function limitFields(counted: readonly [Counted, ...Counted[]]): [name: string, value: string][] {
  let nearest = counted[0].standing;
  let policies = '';
  let standings = '';
  for (const { limit, standing } of counted) {
    if (standing.remaining < nearest.remaining || !standing.allowed) nearest = standing;
    const separator = policies === '' ? '' : ', ';
    policies += `${separator}"${limit.name}";q=${limit.requests};w=${limit.windowSeconds}`;
    standings += `${separator}"${limit.name}";r=${standing.remaining};t=${standing.resetSeconds}`;
  }
  return [
    ['X-RateLimit-Limit', String(nearest.limit)],
    ['X-RateLimit-Remaining', String(nearest.remaining)],
    ['X-RateLimit-Reset', String(nearest.resetSeconds)],
    ['RateLimit-Policy', policies],
    ['RateLimit', standings],
  ];
}
