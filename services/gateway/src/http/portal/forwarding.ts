/** Forwards requests of signed-in people to the service that answers them. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { requestFacts } from '@offer-ads/platform/http/request';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { PortalCaller } from '../../accounts/portal-caller-store.ts';
import { refuseCall } from '../../domain/accounts/approval.ts';
import type { Caller } from '../../domain/keys/admission.ts';
import type { Audience, TokenMaker } from '../../public-api/caller-tokens.ts';
import type { ClientIp } from '../../public-api/client-ip.ts';
import { networkOf } from '../../public-api/client-ip.ts';
import { type Endpoint, isOpenAfterWithdrawal } from '../../public-api/endpoints.ts';
import { forward } from '../../public-api/forward.ts';
import type { TestClocks } from '../../public-api/test-clocks.ts';
import type { Upstream } from '../../public-api/upstream.ts';
import { refusePerson } from '../replies.ts';
import { memberOf } from './portal-session.ts';

export type Forwarding = {
  readonly findCaller: (
    o: PortalCaller,
  ) => Promise<{ readonly caller: Caller; readonly approvalWithdrawn: boolean } | null>;
  readonly tokenFor: TokenMaker;
  readonly testClocks: Pick<TestClocks, 'withClock'>;
  readonly clientIp: ClientIp;
  readonly upstreams: Readonly<Record<Audience, Upstream>>;
};

/** Mounts the same routes under `/test` and `/live`; inside them, `req.url` has no such prefix. */
export function inBothModes(mount: (routes: Router, mode: Mode) => void): Router {
  const both = express.Router();
  for (const mode of ['TEST', 'LIVE'] as const) {
    const routes = express.Router();
    mount(routes, mode);
    both.use(`/${mode.toLowerCase()}`, routes);
  }
  return both;
}

/** Forwards to the path in `req.url`, for the organisation of the session. */
export function forwardTo(
  endpoint: Pick<Endpoint, 'audience' | 'takesBody' | 'budgetMs' | 'byTestClock' | 'afterWithdrawal'>,
  mode: Mode,
  o: Forwarding,
): RequestHandler {
  return async (req: Request, res: Response) => {
    const { personId, organisationId } = memberOf(req);
    const found = await o.findCaller({ personId, organisationId, mode });
    if (found === null) return void res.status(401).json({ message: 'Sign in first' });
    const { caller, approvalWithdrawn } = found;
    const { organisationApproved } = caller;
    const staysOpen = isOpenAfterWithdrawal(req.method, endpoint);
    const refusal = refuseCall(mode, { organisationApproved, approvalWithdrawn }, staysOpen);
    if (refusal !== null) return refusePerson(res, refusal);
    const network = networkOf(o.clientIp(req));
    const { requestId } = requestFacts(req);
    const known = await o.testClocks.withClock(endpoint, caller, { network, requestId });
    const callerToken = o.tokenFor(endpoint.audience, known, network);
    const upstream = o.upstreams[endpoint.audience];
    await forward(req, res, { endpoint, upstream, callerToken });
  };
}
