/**
 * The public API. What happens to an advertiser's request, in this order: its client's limit is counted, plain http is refused, its key is
 * looked up, key, owner and organisation are asked whether they may make this call from there, the key's own limit is counted, an estimate
 * in TEST mode gets its test clock, and the request is forwarded with a signed caller token to the service that answers (decision 9, order
 * of checks). Its call is logged when it has been answered. What comes before: packages/platform/src/http/server.ts.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { placementCallerHeader } from '@offer-ads/contracts/internal/placement-caller';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { sendJson } from '@offer-ads/platform/http/replies';
import { nameRoute, requestFacts } from '@offer-ads/platform/http/request';
import type { FastPath } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import { admit, type KeyFacts } from '../domain/keys/admission.ts';
import { isWellFormedKey, isWellFormedPlacementKey } from '../domain/keys/api-key.ts';
import { isInForce } from '../domain/keys/key-state.ts';
import { refuseInClear } from '../http/clear-text.ts';
import { refuseKey } from '../http/replies.ts';
import { sha256Of } from '../keys/keys-store.ts';
import type { PlacementKeyFacts } from '../keys/placement-keys-store.ts';
import { type CallLog, logCall, noteUnknownKey } from './call-log.ts';
import type { Audience, TokenMaker } from './caller-tokens.ts';
import { type ClientIp, isAmong, networkOf } from './client-ip.ts';
import {
  changesSomething,
  type Endpoint,
  endpointFor,
  isOpenAfterWithdrawal,
  methodsOf,
} from './endpoints.ts';
import { type ErrorHelp, linkHelp } from './error-help.ts';
import { forward } from './forward.ts';
import { limitClient, limitKey } from './rate-limit.ts';
import type { RequestLimiter } from './request-limiter.ts';
import type { TestClocks } from './test-clocks.ts';
import type { ToolCalls } from './tool-calls.ts';
import type { Upstream } from './upstream.ts';

export type PublicApi = {
  readonly clientIp: ClientIp;
  readonly isInClear: (req: IncomingMessage) => boolean;
  readonly limiter: RequestLimiter;
  readonly callLog: CallLog;
  readonly toolCalls: ToolCalls;
  readonly errorHelp: ErrorHelp;
  readonly publicUrl: string;
  readonly findKey: (sha256: string) => Promise<KeyFacts | null>;
  readonly findPlacementKey: (sha256: string) => Promise<PlacementKeyFacts | null>;
  readonly clock: Clock;
  readonly tokenFor: TokenMaker;
  readonly placementTokenFor: (key: { readonly id: number; readonly mode: Mode }) => string;
  readonly testClocks: Pick<TestClocks, 'withClock'>;
  readonly upstreams: Readonly<Record<Audience, Upstream>>;
};

/** Serves all endpoints without express, because nearly every request is for one of them, and express would double its cost. */
export function publicApi(o: PublicApi): FastPath {
  return (req) => {
    const endpoint = endpointFor(req.method ?? '', pathOf(req));
    if (endpoint === undefined) return null;
    nameRoute(req, endpoint.path);
    const answer = endpoint.byPlacementKey === true ? answerPlacement : answerAdvertiser;
    return (res) => {
      // The guide is for advertisers.
      if (endpoint.byPlacementKey !== true) linkHelp(res, endpoint, o);
      return answer(o, req, res, endpoint);
    };
  };
}

async function answerAdvertiser(
  o: PublicApi,
  req: IncomingMessage,
  res: ServerResponse,
  endpoint: Endpoint,
): Promise<void> {
  keepInNoCache(res);
  const sha256 = hashOfLoggedKey(o, req, res);
  const from = o.clientIp(req);
  const network = networkOf(from);
  const isOfTool = o.toolCalls.callerOf(req) !== null;
  const byClient = isOfTool ? undefined : await limitClient(res, o.limiter, network);
  if (byClient === null) return;
  if (o.isInClear(req)) return refuseInClear(res);

  const facts = sha256 === null ? null : await o.findKey(sha256);
  // The caller got a 400 for a broken body meanwhile.
  if (res.headersSent) return;
  if (facts === null) noteUnknownKey(res);
  const admission = admit(facts, o.clock.now(), {
    isFrom: (addresses) => isAmong(addresses, from),
    changes: changesSomething(endpoint),
    staysOpen: isOpenAfterWithdrawal(req.method, endpoint),
  });
  if (!admission.ok) return refuseKey(res, admission.reason);
  const { keyId, requestsPerMinute } = admission.key;
  if (requestsPerMinute !== null) {
    const byKey = await limitKey(res, o.limiter, { keyId, requestsPerMinute, before: byClient });
    if (byKey === null) return;
  }

  const { audience } = endpoint;
  const { requestId } = requestFacts(req);
  const caller = await o.testClocks.withClock(endpoint, admission.caller, { network, requestId });
  const callerToken = o.tokenFor(audience, caller, network);
  await forward(req, res, { endpoint, upstream: o.upstreams[audience], callerToken });
}

/** The key first: a server of the community platform asks for all members, so the limit of a client IP is for wrong keys only. */
async function answerPlacement(
  o: PublicApi,
  req: IncomingMessage,
  res: ServerResponse,
  endpoint: Endpoint,
): Promise<void> {
  keepInNoCache(res);
  const sent = req.headers['x-api-key'];
  const isKey = typeof sent === 'string' && isWellFormedPlacementKey(sent);
  const sha256 = isKey ? sha256Of(sent) : '';
  const key = isKey ? await o.findPlacementKey(sha256) : null;
  if (res.headersSent) return;
  if (key !== null) logCall(o.callLog, req, res, sha256);
  const isInClear = o.isInClear(req);
  if (isInClear || key === null || !isInForce(key, o.clock.now())) {
    if ((await limitClient(res, o.limiter, networkOf(o.clientIp(req)))) === null) return;
    return isInClear ? refuseInClear(res) : refuseKey(res, 'unauthorised');
  }

  const { id: keyId, requestsPerMinute } = key;
  if ((await limitKey(res, o.limiter, { keyId, requestsPerMinute })) === null) return;
  const upstream = o.upstreams[endpoint.audience];
  const callerToken = o.placementTokenFor(key);
  await forward(req, res, { endpoint, upstream, callerToken, callerHeader: placementCallerHeader });
}

/** Mounted last: unknown routes and methods count against the limit and are logged like all others. */
export function answerUnknownEndpoints(
  o: Pick<PublicApi, 'clientIp' | 'limiter' | 'callLog'>,
): (req: IncomingMessage, res: ServerResponse, next: () => void) => Promise<void> {
  return async (req, res, next) => {
    keepInNoCache(res);
    hashOfLoggedKey(o, req, res);
    if ((await limitClient(res, o.limiter, networkOf(o.clientIp(req)))) === null) return;
    const methods = methodsOf(pathOf(req));
    if (methods.length === 0) return next();
    res.setHeader('Allow', methods.join(', '));
    sendJson(res, 405, { message: 'Method not allowed' });
  };
}

/** The hash of the request's key. Its call will be logged when it has been answered. Null for a text that cannot be a key: it is in no store. */
export function hashOfLoggedKey(
  o: Pick<PublicApi, 'callLog'>,
  req: IncomingMessage,
  res: ServerResponse,
): string | null {
  const sent = req.headers['x-api-key'];
  if (typeof sent !== 'string' || !isWellFormedKey(sent)) return null;
  const sha256 = sha256Of(sent);
  logCall(o.callLog, req, res, sha256);
  return sha256;
}

/** In the services' spelling, because a service's own header replaces it. */
export function keepInNoCache(res: ServerResponse): void {
  res.setHeader('cache-control', 'no-store');
}

/**
 * The path without the query string. Invalid escapes are taken literally: `/offers/%FF/pause` is an offer id that is not an integer
 * (decision 20, offers not found), but Express would answer 400.
 */
export function pathOf(req: IncomingMessage): string {
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
