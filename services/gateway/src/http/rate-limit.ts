/** 60 requests a minute per client IP, over all endpoints (specification, Limits); first of all checks (decision 9). */
import type { RequestHandler } from 'express';
import { networkOf } from '../domain/client-network.ts';
import type { Limit, RequestLimiter } from '../request-limiter.ts';
import type { ClientIp } from './client-ip.ts';

const perClientIp: Limit = { name: 'ip', requests: 60, windowSeconds: 60 };

export function limitRate(clientIp: ClientIp, limiter: RequestLimiter): RequestHandler {
  return async (req, res, next) => {
    const standing = await limiter.consume(perClientIp, networkOf(clientIp(req)));
    res.setHeader('X-RateLimit-Limit', standing.limit);
    res.setHeader('X-RateLimit-Remaining', standing.remaining);
    res.setHeader('X-RateLimit-Reset', standing.resetSeconds);
    if (standing.allowed) return next();
    res.setHeader('Retry-After', standing.resetSeconds);
    res.status(429).json({ message: 'Too many requests' });
  };
}
