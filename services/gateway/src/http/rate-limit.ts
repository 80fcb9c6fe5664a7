/**
 * The limits of the public API: 60 requests a minute per client IP over all endpoints (specification, Limits), first of
 * all checks (decision 9), and for a key that has one a limit of its own, counted once the key is known.
 */
import type { Request, Response } from 'express';
import { networkOf } from '../domain/client-network.ts';
import { remember } from '../remember.ts';
import type { Limit, RequestLimiter, Standing } from '../request-limiter.ts';
import type { ClientIp } from './client-ip.ts';

const perClientIp: Limit = { name: 'ip', requests: 60, windowSeconds: 60 };
const networkAt = remember(networkOf);

export type Counted = { readonly limit: Limit; readonly standing: Standing };

/** Counts a request against its client's limit; null when that is used up and the reply is out. */
export async function limitClient(
  req: Request,
  res: Response,
  o: { clientIp: ClientIp; limiter: RequestLimiter },
): Promise<Counted | null> {
  const standing = await o.limiter.consume(perClientIp, networkAt(o.clientIp(req)));
  const counted = { limit: perClientIp, standing };
  tell(res, [counted]);
  if (standing.allowed) return counted;
  refuse(res, standing);
  return null;
}

/** Counts a request against its key's own limit too; false when that is used up and the reply is out. */
export async function limitKey(
  res: Response,
  limiter: RequestLimiter,
  o: { keyId: number; requestsPerMinute: number; byClient: Counted },
): Promise<boolean> {
  const limit: Limit = { name: 'key', requests: o.requestsPerMinute, windowSeconds: 60 };
  const standing = await limiter.consume(limit, String(o.keyId));
  tell(res, [o.byClient, { limit, standing }]);
  if (!standing.allowed) refuse(res, standing);
  return standing.allowed;
}

/**
 * What a reply tells of the limits that its request was counted against (decision 21): the `X-RateLimit` fields describe
 * the one with the fewest requests left, and `RateLimit-Policy` and `RateLimit` all of them, as
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

function tell(res: Response, counted: readonly [Counted, ...Counted[]]): void {
  for (const [name, value] of limitFields(counted)) res.setHeader(name, value);
}

function refuse(res: Response, standing: Standing): void {
  res.setHeader('Retry-After', standing.resetSeconds);
  res.status(429).json({ message: 'Too many requests' });
}
