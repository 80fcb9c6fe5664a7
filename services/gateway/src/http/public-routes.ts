/** The public API: limit, log, key, then the service that answers (decision 9, order of checks). */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { placementCallerHeader } from '@offer-ads/contracts/internal/placement-caller';
import { setHeader } from '@offer-ads/platform/http/replies';
import { nameRoute, requestFacts } from '@offer-ads/platform/http/request';
import type { FastPath } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Express } from 'express';
import { type Audience, rememberTokens, type TokenMaker } from '../caller-tokens.ts';
import type { RequestLimiter } from '../counting/request-limiter.ts';
import { type Admission, admit } from '../domain/limits/admission.ts';
import { networkOf } from '../domain/limits/client-network.ts';
import type { PlacementKey, PlacementKeys } from '../keys/placement-keys.ts';
import type { TestClocks } from '../test-clocks.ts';
import type { Upstream } from '../upstream.ts';
import { whenKnown } from '../when-known.ts';
import { type Endpoint, endpointFor, isOpenAfterWithdrawal, methodsOf } from './endpoints.ts';
import { refuseInClear } from './proxy/clear-text.ts';
import type { ClientIp } from './proxy/client-ip.ts';
import { forward } from './proxy/forward.ts';
import { limitClient, limitKey, limitPlacementKey } from './proxy/rate-limit.ts';
import { type CallRecorder, noteUnknownKey, recordCall, recordCallWith } from './proxy/record-calls.ts';
import { refuseKey } from './replies.ts';

type Admitted = Extract<Admission, { ok: true }>;

export type PublicRoutes = CallRecorder & {
  readonly clientIp: ClientIp;
  readonly isInClear: (req: IncomingMessage) => boolean;
  readonly limiter: RequestLimiter;
  readonly clock: Clock;
  readonly tokenFor: TokenMaker;
  readonly testClocks: Pick<TestClocks, 'withClock'>;
  readonly upstreams: Readonly<Record<Audience, Upstream>>;
  readonly placementKeys: PlacementKeys;
  readonly placementTokenFor: (key: PlacementKey) => string;
};

/**
 * Serves all endpoints without Express, because nearly every request is for one of them. A request waits only for what is not known yet: a
 * count in the shared store, and the look-up of a key.
 */
export function publicFastPath(o: PublicRoutes): FastPath {
  const tokenFor = rememberTokens(o.tokenFor);

  function serve(
    req: IncomingMessage,
    res: ServerResponse,
    fail: (error: unknown) => void,
    endpoint: Endpoint,
  ): void | Promise<void> {
    keepInNoCache(res);
    const key = o.keyCache.read(req.headers['x-api-key']);
    if (key !== null) recordCall(o, req, res, key);
    const ip = o.clientIp(req);

    const pass = ({ key: facts, caller }: Admitted): void | Promise<void> => {
      const { audience } = endpoint;
      const network = networkOf(ip);
      const { requestId } = requestFacts(req);
      return whenKnown(o.testClocks.withClock(endpoint, caller, { network, requestId }), (known) => {
        const callerToken =
          known === caller
            ? tokenFor(audience, facts, caller, network)
            : o.tokenFor(audience, known, network);
        forward(req, res, { endpoint, upstream: o.upstreams[audience], callerToken, fail });
      });
    };
    return whenKnown(limitClient(res, o.limiter, ip), (byClient) => {
      if (byClient === null) return;
      if (o.isInClear(req)) return refuseInClear(res);
      return whenKnown(key === null ? null : o.keyCache.factsOf(key), (facts) => {
        if (facts === null) noteUnknownKey(res);
        const admission = admit(facts, o.clock.now(), isOpenAfterWithdrawal(req.method, endpoint));
        if (!admission.ok) return refuseKey(res, admission.reason);
        const { keyId, requestsPerMinute } = admission.key;
        if (requestsPerMinute === null) return pass(admission);
        const counting = limitKey(res, o.limiter, { keyId, requestsPerMinute, byClient });
        return whenKnown(counting, (byKey) => (byKey === null ? undefined : pass(admission)));
      });
    });
  }

  /** The key first: a server of the community platform asks for all members, so the limit of a client IP is for wrong keys only. */
  function servePlacement(
    req: IncomingMessage,
    res: ServerResponse,
    fail: (error: unknown) => void,
    endpoint: Endpoint,
  ): void | Promise<void> {
    keepInNoCache(res);
    return whenKnown(o.placementKeys.find(req.headers['x-api-key']), (key) => {
      if (key !== null) recordCallWith(o.callLog, req, res, { sha256: key.sha256, exists: () => true });
      const isInClear = o.isInClear(req);
      if (isInClear || key === null || !key.works)
        return whenKnown(limitClient(res, o.limiter, o.clientIp(req)), (byClient) => {
          if (byClient === null) return;
          if (isInClear) refuseInClear(res);
          else refuseKey(res, 'unauthorised');
        });
      return whenKnown(limitPlacementKey(res, o.limiter, key), (counted) => {
        if (counted === null) return;
        const callerToken = o.placementTokenFor(key);
        const upstream = o.upstreams[endpoint.audience];
        forward(req, res, { endpoint, upstream, callerToken, callerHeader: placementCallerHeader, fail });
      });
    });
  }

  return (req) => {
    const endpoint = endpointFor(req.method ?? '', pathOf(req));
    if (endpoint === undefined) return null;
    nameRoute(req, endpoint.path);
    const answer = endpoint.byPlacementKey === true ? servePlacement : serve;
    return (res, fail) => answer(req, res, fail, endpoint);
  };
}

/** Mounted last: unknown routes and methods count against the limit and are logged like all others. */
export function unknownEndpoints(
  app: Express,
  o: CallRecorder & Pick<PublicRoutes, 'clientIp' | 'limiter'>,
): void {
  app.use(async (req, res, next) => {
    keepInNoCache(res);
    const key = o.keyCache.read(req.headers['x-api-key']);
    if (key !== null) recordCall(o, req, res, key);
    if ((await limitClient(res, o.limiter, o.clientIp(req))) === null) return;
    const methods = methodsOf(pathOf(req));
    if (methods.length === 0) return next();
    res.set('Allow', methods.join(', ')).status(405).json({ message: 'Method not allowed' });
  });
}

/** In the services' spelling, because a service's own header replaces it. */
function keepInNoCache(res: ServerResponse): void {
  setHeader(res, 'cache-control', 'no-store');
}

/**
 * The path without the query string. Invalid escapes are taken literally: `/offers/%FF/pause` is an offer id that is not an integer
 * (decision 20, offers not found), but Express would answer 400.
 */
function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '';
  const path = beforeQuery(url);
  if (!path.includes('%') || isDecodable(path)) return path;
  req.url = path.replaceAll('%', '%25') + url.slice(path.length);
  return beforeQuery(req.url);
}

function beforeQuery(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
