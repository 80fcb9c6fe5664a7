/** The public API as the gateway sees it: which service answers which endpoint, and within what time. */
import type { Audience } from '../caller-tokens.ts';

export type Endpoint = {
  /** Called with a placement key instead of an API key (decision 203, placement keys). */
  readonly byPlacementKey?: true;
  /** The portal has a route of its own for it. */
  readonly byApiKeyOnly?: true;
  /** Besides reading: open in LIVE mode although the approval of the organisation was withdrawn. */
  readonly afterWithdrawal?: true;
  /** In TEST mode it needs the time of the organisation's test clock. */
  readonly byTestClock?: true;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** An Express pattern; its parameters have the names of the specification. */
  readonly path: string;
  readonly audience: Audience;
  /** Whether the request body is forwarded. */
  readonly takesBody: boolean;
  /** The time from the arrival of the whole body to the complete reply (decision 23, deadlines and outages). */
  readonly budgetMs: number;
};

/** A creation prices, moderates and charges. */
const creationMs = 25_000;
/** An edit has a picture judged (10 s) and stored (2 s). */
const editMs = 15_000;
/** A deletion closes a checkout at the card provider (8 s) and calls billing (2 s). */
const deletionMs = 10_000;
/** An advance announces what starts and ends by it. */
const advanceMs = 10_000;
const othersMs = 2_000;

/** About webhooks, for keys and for people of other roles than those of offers. */
export const webhookEndpoints: readonly Endpoint[] = (
  [
    ['get', '/webhooks'],
    ['post', '/webhooks', 'body'],
    ['get', '/webhooks/:webhook_id'],
    ['put', '/webhooks/:webhook_id', 'body'],
    ['delete', '/webhooks/:webhook_id'],
    ['post', '/webhooks/:webhook_id/test'],
    ['post', '/webhooks/:webhook_id/roll-secret'],
    ['post', '/webhooks/:webhook_id/disable'],
    ['post', '/webhooks/:webhook_id/enable'],
    ['post', '/webhooks/:webhook_id/resend', 'body'],
    ['get', '/webhooks/:webhook_id/messages'],
    ['post', '/webhooks/:webhook_id/messages/:message_id/resend'],
  ] as const
).map(([method, path, body]) => ({
  afterWithdrawal: true,
  method,
  path,
  audience: 'notifier',
  takesBody: body !== undefined,
  budgetMs: othersMs,
}));

export const endpoints: readonly Endpoint[] = [
  { method: 'get', path: '/categories', audience: 'offers', takesBody: false, budgetMs: othersMs },
  { method: 'get', path: '/interests', audience: 'offers', takesBody: false, budgetMs: othersMs },
  {
    byApiKeyOnly: true,
    method: 'get',
    path: '/balance',
    audience: 'billing',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    byApiKeyOnly: true,
    method: 'get',
    path: '/balance/entries',
    audience: 'billing',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    byTestClock: true,
    method: 'post',
    path: '/offers/price-estimate',
    audience: 'pricing',
    takesBody: true,
    budgetMs: othersMs,
  },
  { method: 'post', path: '/offers', audience: 'offers', takesBody: true, budgetMs: creationMs },
  {
    byApiKeyOnly: true,
    method: 'get',
    path: '/offers',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    byApiKeyOnly: true,
    method: 'get',
    path: '/offers/:offer_id',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    afterWithdrawal: true,
    method: 'post',
    path: '/offers/:offer_id/pause',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    afterWithdrawal: true,
    method: 'post',
    path: '/offers/:offer_id/resume',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    method: 'get',
    path: '/offers/:offer_id/analytics',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    byApiKeyOnly: true,
    method: 'get',
    path: '/offers/:offer_id/analytics/series',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
    byApiKeyOnly: true,
    afterWithdrawal: true,
    method: 'post',
    path: '/offers/:offer_id/credit-estimate',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  { method: 'patch', path: '/offers/:offer_id', audience: 'offers', takesBody: true, budgetMs: editMs },
  {
    afterWithdrawal: true,
    method: 'delete',
    path: '/offers/:offer_id',
    audience: 'offers',
    takesBody: false,
    budgetMs: deletionMs,
  },
  ...(
    [
      ['get', othersMs],
      ['post', advanceMs],
      ['delete', advanceMs],
    ] as const
  ).map(
    ([method, budgetMs]): Endpoint => ({
      byApiKeyOnly: true,
      method,
      path: '/test/clock',
      audience: 'offers',
      takesBody: method === 'post',
      budgetMs,
    }),
  ),
];

/** For the community platform's servers. */
export const placementEndpoints: readonly Endpoint[] = (
  [
    ['post', '/placements'],
    ['get', '/placements/offers'],
    ['post', '/placements/views'],
  ] as const
).map(([method, path]) => ({
  byPlacementKey: true,
  method,
  path,
  audience: 'offers',
  takesBody: method === 'post',
  budgetMs: othersMs,
}));

export function isOpenAfterWithdrawal(
  method: string | undefined,
  { afterWithdrawal }: Pick<Endpoint, 'afterWithdrawal'>,
): boolean {
  return afterWithdrawal === true || method === 'GET' || method === 'HEAD';
}

type Matcher = { readonly method: string; readonly pattern: RegExp; readonly endpoint: Endpoint };

const publicEndpoints = [...endpoints, ...webhookEndpoints, ...placementEndpoints];
/** They are no parameter of another path: `price-estimate` is no offer id. */
const plainPaths = publicEndpoints.map(({ path }) => path).filter((path) => !path.includes(':'));
const matchers: readonly Matcher[] = publicEndpoints.map((endpoint) => {
  const isPlain = plainPaths.includes(endpoint.path);
  const path = isPlain
    ? endpoint.path
    : `(?!(?:${plainPaths.join('|')})/?$)${endpoint.path.replaceAll(/:\w+/g, '[^/]+')}`;
  return {
    method: endpoint.method.toUpperCase(),
    // Like Express: any case, and an optional slash at the end.
    pattern: new RegExp(`^${path}/?$`, 'i'),
    endpoint,
  };
});

/** Finds the endpoint here, because Express would try every route in turn. */
export function endpointFor(method: string, path: string): Endpoint | undefined {
  // Like Express: HEAD is answered like GET.
  const wanted = method === 'HEAD' ? 'GET' : method;
  return matchers.find((matcher) => matcher.method === wanted && matcher.pattern.test(path))?.endpoint;
}

/** The methods of a path, for `Allow`; none if there is no such path. */
export function methodsOf(path: string): readonly string[] {
  const methods = matchers.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}
