/** The public API: limit, log, key, then the service that answers (decision 9). */
import type { Clock } from '@offer-ads/platform/clock';
import type { Express, RequestHandler } from 'express';
import type { CallLog } from '../call-log.ts';
import type { Audience, TokenMaker } from '../caller-tokens.ts';
import { admit } from '../domain/admission.ts';
import { hashOfSentKey, type KeyLookUp } from '../key-look-up.ts';
import type { RequestLimiter } from '../request-limiter.ts';
import type { Upstream } from '../upstream.ts';
import type { ClientIp } from './client-ip.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { forward } from './forward.ts';
import { limitRate } from './rate-limit.ts';
import { recordCalls } from './record-calls.ts';
import { refuseAdmission } from './replies.ts';

export type PublicRoutes = {
  readonly clientIp: ClientIp;
  readonly limiter: RequestLimiter;
  readonly callLog: CallLog;
  readonly lookUp: KeyLookUp;
  readonly clock: Clock;
  readonly tokenFor: TokenMaker;
  readonly upstreams: Readonly<Record<Audience, Upstream>>;
};

export function publicRoutes(app: Express, o: PublicRoutes): void {
  const first = [recordCalls(o.callLog), limitRate(o.clientIp, o.limiter)];
  app.use(acceptAnyEscape);
  for (const endpoint of endpoints) app[endpoint.method](endpoint.path, ...first, serve(endpoint, o));
  // Unknown routes count against the limit and are logged like all others.
  app.use(...first);
}

function serve(endpoint: Endpoint, o: PublicRoutes): RequestHandler {
  return async (req, res) => {
    const sha256 = hashOfSentKey(req.get('x-api-key'));
    const admission = admit(sha256 === null ? null : await o.lookUp(sha256), o.clock.now());
    if (!admission.ok) return refuseAdmission(res, admission.reason);
    const callerToken = o.tokenFor(endpoint.audience, admission.caller);
    await forward(req, res, { endpoint, upstream: o.upstreams[endpoint.audience], callerToken });
  };
}

/**
 * Express answers 400 to a path such as `/offers/%FF/pause`; here that is an offer id like any other that is not an
 * integer (decision 20), so its percent signs are taken literally.
 */
const acceptAnyEscape: RequestHandler = (req, _res, next) => {
  try {
    decodeURIComponent(req.path);
  } catch {
    req.url = req.path.replaceAll('%', '%25') + req.url.slice(req.path.length);
  }
  next();
};
