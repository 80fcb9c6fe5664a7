/** The public API as the gateway sees it: which service answers what, and for how long it may think. */
import type { Audience } from '../caller-tokens.ts';

export type Endpoint = {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express pattern; its parameters are named as in the specification. */
  readonly path: string;
  readonly audience: Audience;
  /** Whether a body is passed on. */
  readonly takesBody: boolean;
  /** From when the body has arrived until the reply must be complete (decision 23, deadlines and outages). */
  readonly budgetMs: number;
};

/** A creation prices, moderates and charges. */
const creationMs = 25_000;
/** Deleting closes a page of the card provider (8 s) and asks billing (2 s). */
const deletionMs = 10_000;
const othersMs = 2_000;

export const endpoints: readonly Endpoint[] = [
  { method: 'get', path: '/categories', audience: 'offers', takesBody: false, budgetMs: othersMs },
  { method: 'get', path: '/interests', audience: 'offers', takesBody: false, budgetMs: othersMs },
  {
    method: 'post',
    path: '/offers/price-estimate',
    audience: 'pricing',
    takesBody: true,
    budgetMs: othersMs,
  },
  { method: 'post', path: '/offers', audience: 'offers', takesBody: true, budgetMs: creationMs },
  { method: 'get', path: '/offers', audience: 'offers', takesBody: false, budgetMs: othersMs },
  {
    method: 'post',
    path: '/offers/:offer_id/pause',
    audience: 'offers',
    takesBody: false,
    budgetMs: othersMs,
  },
  {
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
  { method: 'delete', path: '/offers/:offer_id', audience: 'offers', takesBody: false, budgetMs: deletionMs },
];

type Matcher = { readonly method: string; readonly pattern: RegExp; readonly endpoint: Endpoint };

const matchers: readonly Matcher[] = endpoints.map((endpoint) => ({
  method: endpoint.method.toUpperCase(),
  // As express reads its patterns: any case, and a slash at the end does no harm.
  pattern: new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i'),
  endpoint,
}));

/** The endpoint that answers, found here because express would try every route of the service in turn. */
export function endpointFor(method: string, path: string): Endpoint | undefined {
  // As express does: a HEAD is answered like the GET.
  const wanted = method === 'HEAD' ? 'GET' : method;
  return matchers.find((matcher) => matcher.method === wanted && matcher.pattern.test(path))?.endpoint;
}
