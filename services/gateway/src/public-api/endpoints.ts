/** The public API as the gateway sees it: which service answers which endpoint, and within what time. */
import type { Audience } from './caller-tokens.ts';

export type Endpoint = {
  /** Called with a placement key instead of an API key (decision 203, placement keys). */
  readonly byPlacementKey?: true;
  /** The portal has a route of its own for it. */
  readonly byApiKeyOnly?: true;
  /** Besides reading: open in LIVE mode although the approval of the organisation was withdrawn. */
  readonly afterWithdrawal?: true;
  /** A POST that changes nothing: open to keys that only read. */
  readonly onlyReads?: true;
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
export const creationMs = 25_000;
/** An edit has a picture judged (10 s) and stored (2 s). */
const editMs = 15_000;
/** A deletion closes a checkout at the card provider (8 s) and calls billing (2 s). */
const deletionMs = 10_000;
/** An advance announces what starts and ends by it. */
const advanceMs = 10_000;
/** Up to 20 commands, four at a time. */
const groupMs = 5_000;
export const usualBudgetMs = 2_000;

type Options = Partial<Omit<Endpoint, 'method' | 'path' | 'audience' | 'takesBody'>>;

/** @param line as in the specification; `body`: the request body is forwarded */
export function endpoint(
  line: string,
  audience: Audience,
  o: Options & { readonly body?: true } = {},
): Endpoint {
  const [method = '', path = ''] = line.split(' ');
  const { body, ...options } = o;
  return {
    budgetMs: usualBudgetMs,
    ...options,
    method: method.toLowerCase() as Endpoint['method'],
    path,
    audience,
    takesBody: body === true,
  };
}

/** About webhooks, for keys and for people of other roles than those of offers. */
export const webhookEndpoints: readonly Endpoint[] = [
  'GET /webhooks',
  'POST /webhooks',
  'GET /webhooks/:webhook_id',
  'PUT /webhooks/:webhook_id',
  'DELETE /webhooks/:webhook_id',
  'POST /webhooks/:webhook_id/test',
  'POST /webhooks/:webhook_id/roll-secret',
  'POST /webhooks/:webhook_id/disable',
  'POST /webhooks/:webhook_id/enable',
  'POST /webhooks/:webhook_id/resend',
  'GET /webhooks/:webhook_id/messages',
  'POST /webhooks/:webhook_id/messages/:message_id/resend',
].map((line) => {
  const takesBody = ['POST /webhooks', 'PUT /webhooks/:webhook_id', 'POST /webhooks/:webhook_id/resend'];
  return endpoint(line, 'notifier', {
    afterWithdrawal: true,
    ...(takesBody.includes(line) && { body: true }),
  });
});

const byApiKeyOnly = true;
const afterWithdrawal = true;
const onlyReads = true;
const body = true;

export const endpoints: readonly Endpoint[] = [
  endpoint('GET /categories', 'offers'),
  endpoint('GET /interests', 'offers'),
  endpoint('GET /key', 'billing', { byApiKeyOnly }),
  endpoint('GET /balance', 'billing', { byApiKeyOnly }),
  endpoint('GET /balance/entries', 'billing', { byApiKeyOnly }),
  endpoint('POST /offers/price-estimate', 'pricing', { body, byTestClock: true, onlyReads }),
  endpoint('POST /offers', 'offers', { body, budgetMs: creationMs }),
  endpoint('GET /offers', 'offers', { byApiKeyOnly }),
  endpoint('GET /offers/:offer_id', 'offers', { byApiKeyOnly }),
  endpoint('POST /offers/:offer_id/pause', 'offers', { afterWithdrawal }),
  endpoint('POST /offers/:offer_id/resume', 'offers', { afterWithdrawal }),
  endpoint('GET /offers/:offer_id/analytics', 'offers'),
  endpoint('GET /offers/:offer_id/analytics/series', 'offers', { byApiKeyOnly }),
  endpoint('GET /offers/:offer_id/results', 'offers', { byApiKeyOnly }),
  endpoint('GET /offers/:offer_id/changes', 'offers', { byApiKeyOnly }),
  endpoint('GET /results', 'offers', { byApiKeyOnly }),
  endpoint('POST /offers/:offer_id/credit-estimate', 'offers', { byApiKeyOnly, afterWithdrawal, onlyReads }),
  endpoint('PATCH /offers/:offer_id', 'offers', { body, budgetMs: editMs }),
  endpoint('DELETE /offers/:offer_id', 'offers', { afterWithdrawal, budgetMs: deletionMs }),
  endpoint('POST /offer-groups/price-estimate', 'pricing', { body, byTestClock: true, onlyReads }),
  endpoint('POST /offer-groups', 'offers', { body, budgetMs: creationMs }),
  endpoint('GET /offer-groups/:group_id', 'offers', { byApiKeyOnly }),
  endpoint('GET /offer-groups/:group_id/analytics/series', 'offers', { byApiKeyOnly }),
  endpoint('POST /offer-groups/:group_id/pause', 'offers', { afterWithdrawal, budgetMs: groupMs }),
  endpoint('POST /offer-groups/:group_id/resume', 'offers', { afterWithdrawal, budgetMs: groupMs }),
  endpoint('PATCH /offer-groups/:group_id', 'offers', { body, budgetMs: editMs }),
  endpoint('DELETE /offer-groups/:group_id', 'offers', { afterWithdrawal, budgetMs: deletionMs }),
  endpoint('GET /test/clock', 'offers', { byApiKeyOnly }),
  endpoint('POST /test/clock', 'offers', { body, byApiKeyOnly, budgetMs: advanceMs }),
  endpoint('DELETE /test/clock', 'offers', { byApiKeyOnly, budgetMs: advanceMs }),
];

/** For the community platform's servers. */
export const placementEndpoints: readonly Endpoint[] = [
  endpoint('POST /placements', 'offers', { body, byPlacementKey: true }),
  endpoint('GET /placements/offers', 'offers', { byPlacementKey: true }),
  endpoint('POST /placements/views', 'offers', { body, byPlacementKey: true }),
];

export function isOpenAfterWithdrawal(
  method: string | undefined,
  { afterWithdrawal }: Pick<Endpoint, 'afterWithdrawal'>,
): boolean {
  return afterWithdrawal === true || method === 'GET' || method === 'HEAD';
}

export function changesSomething({ method, onlyReads }: Endpoint): boolean {
  return method !== 'get' && onlyReads !== true;
}

type Place = { readonly pattern: RegExp; readonly endpoints: readonly Endpoint[] };

/** Paths without parameters come first: `price-estimate` is no offer id. */
const places: readonly Place[] = Map.groupBy(
  [...endpoints, ...webhookEndpoints, ...placementEndpoints].toSorted(
    (a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')),
  ),
  ({ path }) => path,
)
  .entries()
  .map(([path, endpoints]) => ({
    // Like Express: any case, and an optional slash at the end.
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i'),
    endpoints,
  }))
  .toArray();

/** Found here, because Express would try every route in turn. */
function endpointsAt(path: string): readonly Endpoint[] {
  return places.find(({ pattern }) => pattern.test(path))?.endpoints ?? [];
}

export function endpointFor(method: string, path: string): Endpoint | undefined {
  // Like Express: HEAD is answered like GET.
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  return endpointsAt(path).find((endpoint) => endpoint.method === wanted);
}

/** The methods of a path, for `Allow`; none if there is no such path. */
export function methodsOf(path: string): readonly string[] {
  const methods = endpointsAt(path).map(({ method }) => method.toUpperCase());
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}
