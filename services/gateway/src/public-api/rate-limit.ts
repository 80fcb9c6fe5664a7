/**
 * The rate limits of the public API: 60 requests a minute per client IP over all endpoints (specification, Limits), checked first (decision
 * 9, order of checks); and a key's own limit, if it has one, checked once the key is known.
 */
import type { ServerResponse } from 'node:http';
import { sendJson } from '@offer-ads/platform/http/replies';
import type { Limit, LimitState, RequestLimiter } from './request-limiter.ts';

const perClientIp: Limit = { name: 'ip', requests: 60, windowSeconds: 60 };

type Counted = { readonly limit: Limit; readonly state: LimitState };

/** Counts a request against its client's limit. @returns null if the limit is used up and the reply was sent */
export function limitClient(
  res: ServerResponse,
  limiter: RequestLimiter,
  network: string,
): Promise<Counted | null> {
  return countRequest(res, limiter, { limit: perClientIp, client: network });
}

/**
 * Counts a request against its key's own limit. A placement key has no other one, because one server asks for all members (decision 203,
 * placement keys).
 * @param o.before another limit that has counted the request, for the headers
 */
export function limitKey(
  res: ServerResponse,
  limiter: RequestLimiter,
  o: { keyId: number; requestsPerMinute: number; before?: Counted | undefined },
): Promise<Counted | null> {
  const limit: Limit = { name: 'key', requests: o.requestsPerMinute, windowSeconds: 60 };
  return countRequest(res, limiter, { limit, client: String(o.keyId), before: o.before });
}

/** Counts, sets the reply's headers, and refuses if the limit is used up. */
export async function countRequest(
  res: ServerResponse,
  limiter: RequestLimiter,
  o: { limit: Limit; client: string; before?: Counted | undefined },
): Promise<Counted | null> {
  const state = await limiter.consume(o.limit, o.client);
  const counted = { limit: o.limit, state };
  // The caller has got a reply meanwhile, for example a 400 for a body that cannot be read.
  if (res.headersSent) return null;
  setLimitFields(res, o.before === undefined ? [counted] : [o.before, counted]);
  if (state.allowed) return counted;
  res.setHeader('Retry-After', state.resetSeconds);
  sendJson(res, 429, { message: 'Too many requests' });
  return null;
}

/**
 * The headers about the limits that counted the request (decision 21, rate limits): the `X-RateLimit` fields describe the limit with the
 * fewest requests left; `RateLimit-Policy` and `RateLimit` list all of them, as in draft-ietf-httpapi-ratelimit-headers-11.
 */
function setLimitFields(
  res: Pick<ServerResponse, 'setHeader'>,
  counted: readonly [Counted, ...Counted[]],
): void {
  let [nearest] = counted;
  const policies: string[] = [];
  const states: string[] = [];
  for (const one of counted) {
    const { limit, state } = one;
    if (state.remaining < nearest.state.remaining || !state.allowed) nearest = one;
    policies.push(`"${limit.name}";q=${limit.requests};w=${limit.windowSeconds}`);
    states.push(`"${limit.name}";r=${state.remaining};t=${state.resetSeconds}`);
  }
  res.setHeader('X-RateLimit-Limit', nearest.limit.requests);
  res.setHeader('X-RateLimit-Remaining', nearest.state.remaining);
  res.setHeader('X-RateLimit-Reset', nearest.state.resetSeconds);
  res.setHeader('RateLimit-Policy', policies.join(', '));
  res.setHeader('RateLimit', states.join(', '));
}
