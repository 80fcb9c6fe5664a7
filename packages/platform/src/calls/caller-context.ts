/** The signed caller context: the gateway writes who calls; services verify it and trust no other statement about the caller. */
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type CallerContext,
  callerContext,
  callerContextHeader,
} from '@offer-ads/contracts/internal/caller-context';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import type { Request, RequestHandler } from 'express';
import type { z } from 'zod';
import { createSeal, firstSecret, type Seal } from '../config/secrets.ts';
import type { Clock } from '../process/clock.ts';
import { serviceUnavailable, unauthorised } from '../process/faults.ts';

/** What every kind of caller has. */
type Signed = { readonly audience: ServiceName; readonly validUntil: number };

/** `base64url(json).base64url(mac)`: HMAC-SHA256 under a secret that only the gateway and the audience know. */
export function signCallerContext(
  secret: string,
  context: Signed & Readonly<Record<string, unknown>>,
): string {
  const payload = Buffer.from(JSON.stringify(context)).toString('base64url');
  const mac = createHmac('sha256', firstSecret(secret)).update(payload).digest('base64url');
  return `${payload}.${mac}`;
}

/** How a service verifies a caller context. While its secret is being replaced, `secret` holds several (secrets.ts). */
type Expected = { readonly secret: string; readonly audience: ServiceName; readonly clock: Clock };

/** For requests that bypass express. @throws {Fault} 401 unless the context is genuine and for this audience; 503 if it has expired */
export function callerVerifier(o: Expected): (req: IncomingMessage) => CallerContext {
  return signedHeader(o, callerContextHeader, callerContext);
}

/** The same for another kind of caller, in a header of its own. */
export function signedHeader<C extends Signed>(
  o: Expected,
  header: string,
  schema: z.ZodType<C>,
): (req: IncomingMessage) => C {
  const seal = createSeal(o.secret);
  return (req) => {
    const token = req.headers[header];
    const context = verify(seal, schema, typeof token === 'string' ? token : '');
    if (context === null) throw unauthorised('caller context missing, malformed or forged');
    if (context.audience !== o.audience) throw unauthorised('caller context for another audience');
    const lateMs = o.clock.now().getTime() - context.validUntil;
    // The gateway has just signed it for a caller whose key is right: a 401 would tell them that it is not.
    if (lateMs >= 0)
      throw serviceUnavailable(
        `caller context expired ${lateMs} ms ago: does this clock differ from the gateway's?`,
      );
    return context;
  };
}

/** Answers as `callerVerifier` does unless the request's context is valid. */
export function requireCaller(o: Expected): RequestHandler {
  const verify = callerVerifier(o);
  return (req, _res, next) => {
    // Express passes what is thrown here to the error middleware.
    callers.set(req, verify(req));
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

function verify<C>(seal: Seal, schema: z.ZodType<C>, token: string): C | null {
  const dot = token.indexOf('.');
  const payload = token.slice(0, Math.max(0, dot));
  // Everything after the first dot is the signature, so a token with a third segment is refused.
  if (!seal.isGenuine(payload, token.slice(dot + 1))) return null;
  // The signature is valid, so this is our own JSON. The schema protects against another version of it, and tells one kind of caller
  // from the other.
  const parsed = schema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return parsed.success ? parsed.data : null;
}
