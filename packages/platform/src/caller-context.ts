/** The signed caller context: the gateway says who calls, services verify it and trust nothing else. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type CallerContext, callerContext, callerContextHeader } from '@offer-ads/contracts/caller-context';
import type { ServiceName } from '@offer-ads/contracts/primitives';
import type { Request, RequestHandler } from 'express';
import type { Clock } from './clock.ts';
import { unauthorised } from './faults.ts';

/** `base64url(json).base64url(mac)`: HMAC-SHA256 under a secret that only the gateway and the audience know. */
export function signCallerContext(secret: string, context: CallerContext): string {
  const payload = Buffer.from(JSON.stringify(context)).toString('base64url');
  return `${payload}.${mac(secret, payload).toString('base64url')}`;
}

/** Lets a request pass whose context is genuine, for this audience and not expired; otherwise 401. */
export function requireCaller(o: { secret: string; audience: ServiceName; clock: Clock }): RequestHandler {
  return (req, _res, next) => {
    const context = verifyCallerContext(o.secret, req.get(callerContextHeader) ?? '');
    if (context === null) return next(unauthorised('caller context missing, malformed or forged'));
    if (context.audience !== o.audience) return next(unauthorised('caller context for another audience'));
    if (context.validUntil <= o.clock.now().getTime()) return next(unauthorised('caller context expired'));
    callers.set(req, context);
    next();
  };
}

/** The caller of a request behind `requireCaller`. */
export function callerOf(req: Request): CallerContext {
  const context = callers.get(req);
  if (context === undefined) throw new Error('callerOf needs requireCaller on the route');
  return context;
}

const callers = new WeakMap<Request, CallerContext>();

function verifyCallerContext(secret: string, token: string): CallerContext | null {
  const [payload = '', signature = ''] = token.split('.', 2);
  const expected = mac(secret, payload);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  // The mac is genuine, so this is our own JSON; the schema guards against versions that differ.
  const parsed = callerContext.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return parsed.success ? parsed.data : null;
}

function mac(secret: string, payload: string): Buffer {
  return createHmac('sha256', secret).update(payload).digest();
}
