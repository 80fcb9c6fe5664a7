/** 60 requests a minute per client IP, over all endpoints (specification, Limits); first of all checks (decision 9). */
import type { RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../domain/client-network.ts';
import type { ClientIp } from './client-ip.ts';

const requestsPerWindow = 60;
const windowSeconds = 60;

export function limitRate(clientIp: ClientIp): RequestHandler {
  const limiter = new RateLimiterMemory({ points: requestsPerWindow, duration: windowSeconds });
  return async (req, res, next) => {
    const { allowed, state } = await consume(limiter, networkOf(clientIp(req)));
    const resetSeconds = Math.ceil(state.msBeforeNext / 1_000);
    res.setHeader('X-RateLimit-Limit', requestsPerWindow);
    res.setHeader('X-RateLimit-Remaining', Math.max(0, state.remainingPoints));
    res.setHeader('X-RateLimit-Reset', resetSeconds);
    if (allowed) return next();
    res.setHeader('Retry-After', Math.max(1, resetSeconds));
    res.status(429).json({ message: 'Too many requests' });
  };
}

/** The library throws the state of a client over its limit; anything else that it throws is a fault. */
async function consume(
  limiter: RateLimiterMemory,
  client: string,
): Promise<{ allowed: boolean; state: RateLimiterRes }> {
  try {
    return { allowed: true, state: await limiter.consume(client) };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { allowed: false, state: error };
    throw error;
  }
}
