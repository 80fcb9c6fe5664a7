/**
 * The rate limits of the public API: 60 requests a minute per client IP over all endpoints (specification, Limits), checked first (decision
 * 9, order of checks); and a key's own limit, if it has one, checked once the key is known.
 */
import type { ServerResponse } from 'node:http';
import { sendJson, setHeader } from '@offer-ads/platform/http/replies';
import type { Limit, LimitState, RequestLimiter } from '../../counting/request-limiter.ts';
import { networkOf } from '../../domain/limits/client-network.ts';
import { whenKnown } from '../../when-known.ts';

const perClientIp: Limit = { name: 'ip', requests: 60, windowSeconds: 60 };
const keyLimitName = 'key';
export const publicLimitNames = [perClientIp.name, keyLimitName];

export type Counted = { readonly limit: Limit; readonly state: LimitState };
/** Null if the limit is used up and the reply was sent. */
type Counting = Counted | null | Promise<Counted | null>;

/** Counts a request against its client's limit. */
export function limitClient(res: ServerResponse, limiter: RequestLimiter, ip: string): Counting {
  return countRequest(res, limiter, { limit: perClientIp, client: networkOf(ip) });
}

/** Also counts a request against its key's own limit. */
export function limitKey(
  res: ServerResponse,
  limiter: RequestLimiter,
  o: { keyId: number; requestsPerMinute: number; byClient: Counted },
): Counting {
  const limit: Limit = { name: keyLimitName, requests: o.requestsPerMinute, windowSeconds: 60 };
  return countRequest(res, limiter, { limit, client: String(o.keyId), before: o.byClient });
}

/**
 * Counts a request against its placement key's limit, and no other: one server asks for all members (decision 203, placement keys).
 */
export function limitPlacementKey(
  res: ServerResponse,
  limiter: RequestLimiter,
  key: { readonly id: number; readonly requestsPerMinute: number },
): Counting {
  const limit: Limit = { name: keyLimitName, requests: key.requestsPerMinute, windowSeconds: 60 };
  return countRequest(res, limiter, { limit, client: String(key.id) });
}

/**
 * Counts, sets the reply's headers, and refuses if the limit is used up.
 * @param o.before another limit that has counted the request, for the headers
 */
export function countRequest(
  res: ServerResponse,
  limiter: RequestLimiter,
  o: { limit: Limit; client: string; before?: Counted },
): Counting {
  return whenKnown(limiter.consume(o.limit, o.client), (state) => {
    const counted = { limit: o.limit, state };
    const fields = limitFields(o.before === undefined ? [counted] : [o.before, counted]);
    for (const [name, value] of fields) setHeader(res, name, value);
    if (state.allowed) return counted;
    setHeader(res, 'Retry-After', state.resetSeconds);
    sendJson(res, 429, { message: 'Too many requests' });
    return null;
  });
}

/**
 * The headers about the limits that counted the request (decision 21, rate limits): the `X-RateLimit` fields describe the limit with the
 * fewest requests left; `RateLimit-Policy` and `RateLimit` list all of them, as in draft-ietf-httpapi-ratelimit-headers-11.
 */
export function limitFields(counted: readonly [Counted, ...Counted[]]): [name: string, value: string][] {
  let nearest = counted[0].state;
  let policies = '';
  let states = '';
  for (const { limit, state } of counted) {
    if (state.remaining < nearest.remaining || !state.allowed) nearest = state;
    const separator = policies === '' ? '' : ', ';
    policies += `${separator}"${limit.name}";q=${limit.requests};w=${limit.windowSeconds}`;
    states += `${separator}"${limit.name}";r=${state.remaining};t=${state.resetSeconds}`;
  }
  return [
    ['X-RateLimit-Limit', String(nearest.limit)],
    ['X-RateLimit-Remaining', String(nearest.remaining)],
    ['X-RateLimit-Reset', String(nearest.resetSeconds)],
    ['RateLimit-Policy', policies],
    ['RateLimit', states],
  ];
}
