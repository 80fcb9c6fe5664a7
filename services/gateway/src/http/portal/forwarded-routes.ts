/**
 * Routes that other services answer: the public API for signed-in people, and what only the portal has. All but the mail preferences and
 * the tags of links are under `/test` and `/live`. These calls are not in the call log, which is for keys, and do not count against an API client's limit (decision
 * 28, the portal counts separately).
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { requestFacts } from '@offer-ads/platform/http/request';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { refuseCall } from '../../domain/accounts/approval.ts';
import type { Permission } from '../../domain/accounts/roles.ts';
import type { Caller } from '../../domain/keys/admission.ts';
import type { PortalCaller } from '../../keys/keys-store.ts';
import type { Audience, TokenMaker } from '../../public-api/caller-tokens.ts';
import type { ClientIp } from '../../public-api/client-ip.ts';
import { networkOf } from '../../public-api/client-ip.ts';
import {
  creationMs,
  type Endpoint,
  endpoint,
  endpoints,
  isOpenAfterWithdrawal,
  webhookEndpoints,
} from '../../public-api/endpoints.ts';
import { forward } from '../../public-api/forward.ts';
import type { TestClocks } from '../../public-api/test-clocks.ts';
import type { Upstream } from '../../public-api/upstream.ts';
import { refusePerson } from '../replies.ts';
import { requireJson } from './portal-json.ts';
import { allow, memberOf } from './portal-session.ts';

export type Forwarding = {
  readonly findCaller: (
    o: PortalCaller,
  ) => Promise<{ readonly caller: Caller; readonly approvalWithdrawn: boolean } | null>;
  readonly tokenFor: TokenMaker;
  readonly testClocks: Pick<TestClocks, 'withClock'>;
  readonly clientIp: ClientIp;
  readonly upstreams: Readonly<Record<Audience, Upstream>>;
};

type Route = Endpoint & {
  /** Every role may call it unless given. */
  readonly permission?: Permission;
  /** The service's own address for it, if it is another one. The query string is kept. */
  readonly at?: (url: string) => string;
  /** In the other mode the path does not exist; the service refuses it there too. */
  readonly onlyIn?: Mode;
  /** The body is not always JSON. */
  readonly isUpload?: true;
};

const body = true;
/** Up to 10,000 offers or bookings are read for a file. */
const exportMs = 8_000;
/** Up to 100 commands, each as long as one alone at worst; what is not done by then is reported. */
const manyMs = 8_000;
/** Billing stores the top-up (2 s) and opens its payment page at the card provider (8 s). */
const topUpMs = 10_000;
/** Billing allows five seconds for a PDF, because a thread's first PDF loads the fonts, and needs some time to read the data. */
const documentMs = 6_000;

const portalOffers: readonly Route[] = [
  { ...endpoint('POST /offer-groups/check', 'offers', { body, budgetMs: creationMs }), isUpload: true },
  endpoint('GET /offers', 'offers'),
  endpoint('GET /results', 'offers'),
  endpoint('GET /creations/:idempotency_key', 'offers'),
  endpoint('GET /offers/:offer_id', 'offers'),
  endpoint('GET /offer-groups/:group_id', 'offers'),
  endpoint('GET /offers/:offer_id/credit', 'offers'),
  endpoint('GET /offers/:offer_id/changes', 'offers'),
  endpoint('GET /offers.csv', 'offers', { budgetMs: exportMs }),
  ...['/offers/:offer_id', '/offer-groups/:group_id'].flatMap((path) => [
    endpoint(`GET ${path}/analytics/series`, 'offers'),
    endpoint(`GET ${path}/analytics.csv`, 'offers', { budgetMs: exportMs }),
  ]),
  endpoint('POST /offers/:offer_id/review-request', 'offers'),
  endpoint('POST /offers/pause', 'offers', { body, budgetMs: manyMs, afterWithdrawal: true }),
  endpoint('POST /offers/resume', 'offers', { body, budgetMs: manyMs, afterWithdrawal: true }),
  { ...endpoint('POST /offers/:offer_id/simulated-traffic', 'offers', { body }), onlyIn: 'TEST' },
];
const ofBilling: readonly Route[] = [
  endpoint('GET /balance', 'billing'),
  endpoint('GET /billing/statement', 'billing'),
  endpoint('GET /billing/statement.csv', 'billing', { budgetMs: exportMs }),
  endpoint('GET /billing/low-balance-threshold', 'billing'),
  endpoint('PUT /billing/low-balance-threshold', 'billing', { body }),
  endpoint('POST /billing/top-ups', 'billing', { body, budgetMs: topUpMs }),
  { ...endpoint('POST /billing/play-money', 'billing', { body }), onlyIn: 'TEST' },
  endpoint('GET /billing/invoices', 'billing'),
  endpoint('GET /billing/invoices/:file', 'billing', { budgetMs: documentMs }),
];
const testClock = endpoints.filter(({ path }) => path === '/test/clock');
const ofPublicApi = endpoints.filter(({ byApiKeyOnly }) => byApiKeyOnly !== true);

/** The portal's own come first, because its listing returns more than that of the public API. */
const inBothModes: readonly Route[] = [
  ...ofOffers(portalOffers, { at: (url) => `/portal${url}` }),
  ...ofOffers(testClock, { path: '/clock', at: () => '/test/clock', onlyIn: 'TEST' }),
  ...ofOffers(ofPublicApi, { isUpload: true }),
  ...allWith(ofBilling, {
    permission: 'billing',
    at: (url) => `/internal${url.replace(/^\/billing\//, '/')}`,
  }),
  ...allWith(webhookEndpoints, { permission: 'webhooks' }),
];
/** Preferences are the same in both modes, but a caller context needs a mode: TEST, which every organisation has. */
const mailPreferences: readonly Route[] = allWith(
  [endpoint('GET /mail-preferences', 'notifier'), endpoint('PUT /mail-preferences', 'notifier', { body })],
  { at: (url) => `/internal${url}` },
);

/** The same in both modes too. */
const linkTags: readonly Route[] = allWith(
  [
    { ...endpoint('GET /link-tags', 'offers'), permission: 'view-offers' },
    { ...endpoint('PUT /link-tags', 'offers', { body }), permission: 'organisation' },
  ],
  { at: (url) => `/portal${url}` },
);

/** Mounted before the body parsers, because bodies are forwarded as streams. */
export function forwardedRoutes(o: Forwarding): Router {
  const portal = express.Router();
  for (const mode of ['TEST', 'LIVE'] as const) {
    const routes = express.Router();
    for (const route of inBothModes)
      if (route.onlyIn === undefined || route.onlyIn === mode) mount(routes, route, mode, o);
    portal.use(`/${mode.toLowerCase()}`, routes);
  }
  for (const route of [...mailPreferences, ...linkTags]) mount(portal, route, 'TEST', o);
  return portal;
}

function mount(routes: Router, route: Route, mode: Mode, o: Forwarding): void {
  const { method, path, permission, isUpload } = route;
  const before = [
    ...(permission === undefined ? [] : [allow(permission)]),
    ...(isUpload === true ? [] : [requireJson]),
  ];
  routes[method](path, ...before, forwardTo(route, mode, o));
}

/** Forwards for the organisation of the session. */
function forwardTo(endpoint: Route, mode: Mode, o: Forwarding): RequestHandler {
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
    req.url = endpoint.at?.(req.url) ?? req.url;
    await forward(req, res, { endpoint, upstream: o.upstreams[endpoint.audience], callerToken });
  };
}

/** A person who may view offers may read; what changes something needs the other permission. */
function ofOffers(routes: readonly Route[], facts: Partial<Route>): Route[] {
  return routes.flatMap((route) =>
    allWith([route], { ...facts, permission: route.method === 'get' ? 'view-offers' : 'offers' }),
  );
}

function allWith(routes: readonly Route[], facts: Partial<Route>): Route[] {
  return routes.map((route) => Object.assign({}, route, facts));
}
