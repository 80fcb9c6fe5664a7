/**
 * The table of endpoints with their return codes and the HTTP statuses of each code. Types and behaviour are derived from it. A code has
 * a meaning only for its endpoint. A test compares the table with the service's OpenAPI document.
 */

type Operation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The `return_code` of success, where the endpoint has one. */
  readonly success?: 'S1' | 'S2';
  /** A field that every success has. It distinguishes the API's replies from those of a proxy. */
  readonly field: string;
  readonly refusals: Readonly<Record<string, readonly number[]>>;
  /** Each request that takes effect changes something more, so one whose outcome is unknown is not repeated. */
  readonly once?: true;
};

export const operations = {
  listCategories: { method: 'GET', path: '/categories', field: 'categories', refusals: {} },
  listInterests: { method: 'GET', path: '/interests', field: 'interests', refusals: {} },
  readKey: { method: 'GET', path: '/key', field: 'access', refusals: {} },
  readBalance: { method: 'GET', path: '/balance', field: 'balance', refusals: {} },
  listBalanceEntries: {
    method: 'GET',
    path: '/balance/entries',
    field: 'pagination',
    refusals: { E1: [400] },
  },
  estimatePrice: {
    method: 'POST',
    path: '/offers/price-estimate',
    success: 'S1',
    field: 'ad_units',
    refusals: { E1: [400, 403], E2: [400] },
  },
  createOffer: {
    method: 'POST',
    path: '/offers',
    success: 'S1',
    field: 'offer_id',
    refusals: { E1: [400, 403, 415], E2: [200], E3: [200], E4: [400], E5: [400], E6: [400], E9: [403] },
  },
  listOffers: { method: 'GET', path: '/offers', field: 'pagination', refusals: { E1: [400, 403] } },
  readOffer: { method: 'GET', path: '/offers/{offer_id}', field: 'actions', refusals: { E1: [401] } },
  updateOffer: {
    method: 'PATCH',
    path: '/offers/{offer_id}',
    success: 'S1',
    field: 'message',
    refusals: { E1: [400, 401, 403, 415], E2: [200], E3: [409], E9: [403] },
  },
  pauseOffer: {
    method: 'POST',
    path: '/offers/{offer_id}/pause',
    success: 'S1',
    field: 'message',
    refusals: { E1: [401], E2: [200], E3: [200], E5: [200] },
  },
  resumeOffer: {
    method: 'POST',
    path: '/offers/{offer_id}/resume',
    success: 'S2',
    field: 'message',
    refusals: { E1: [401], E2: [200], E4: [200], E5: [200] },
  },
  readAnalytics: {
    method: 'GET',
    path: '/offers/{offer_id}/analytics',
    field: 'metrics',
    refusals: { E1: [400] },
  },
  readAnalyticsSeries: {
    method: 'GET',
    path: '/offers/{offer_id}/analytics/series',
    field: 'points',
    refusals: { E1: [400, 401] },
  },
  readOfferResults: {
    method: 'GET',
    path: '/offers/{offer_id}/results',
    field: 'ran_seconds',
    refusals: { E1: [401] },
  },
  readResults: { method: 'GET', path: '/results', field: 'current', refusals: { E1: [400] } },
  listOfferChanges: {
    method: 'GET',
    path: '/offers/{offer_id}/changes',
    field: 'pagination',
    refusals: { E1: [400, 401] },
  },
  estimateCredit: {
    method: 'POST',
    path: '/offers/{offer_id}/credit-estimate',
    success: 'S1',
    field: 'estimated_credit',
    refusals: { E1: [401] },
  },
  deleteOffer: {
    method: 'DELETE',
    path: '/offers/{offer_id}',
    success: 'S1',
    field: 'message',
    refusals: { E1: [401], E6: [409], E7: [503] },
  },
  estimateGroupPrice: {
    method: 'POST',
    path: '/offer-groups/price-estimate',
    success: 'S1',
    field: 'places',
    refusals: { E1: [400, 403], E2: [400] },
  },
  createGroup: {
    method: 'POST',
    path: '/offer-groups',
    success: 'S1',
    field: 'group_id',
    refusals: { E1: [400, 403, 415], E2: [200], E3: [200], E4: [400], E5: [400], E6: [400], E9: [403] },
  },
  readGroup: { method: 'GET', path: '/offer-groups/{group_id}', field: 'totals', refusals: { E1: [401] } },
  readGroupSeries: {
    method: 'GET',
    path: '/offer-groups/{group_id}/analytics/series',
    field: 'points',
    refusals: { E1: [400, 401] },
  },
  pauseGroup: {
    method: 'POST',
    path: '/offer-groups/{group_id}/pause',
    success: 'S1',
    field: 'results',
    refusals: { E1: [401] },
  },
  resumeGroup: {
    method: 'POST',
    path: '/offer-groups/{group_id}/resume',
    success: 'S1',
    field: 'results',
    refusals: { E1: [401] },
  },
  updateGroup: {
    method: 'PATCH',
    path: '/offer-groups/{group_id}',
    success: 'S1',
    field: 'message',
    refusals: { E1: [400, 401, 403, 415], E2: [200], E3: [409], E9: [403] },
  },
  deleteGroup: {
    method: 'DELETE',
    path: '/offer-groups/{group_id}',
    success: 'S1',
    field: 'results',
    refusals: { E1: [401] },
  },
  readTestClock: { method: 'GET', path: '/test/clock', field: 'offset_seconds', refusals: { E1: [403] } },
  advanceTestClock: {
    method: 'POST',
    path: '/test/clock',
    field: 'offset_seconds',
    refusals: { E1: [400, 403] },
    once: true,
  },
  resetTestClock: {
    method: 'DELETE',
    path: '/test/clock',
    field: 'offset_seconds',
    refusals: { E1: [403], E2: [409] },
  },
  createWebhook: {
    method: 'POST',
    path: '/webhooks',
    field: 'secret',
    refusals: { E1: [400, 413, 415], E3: [409], E4: [400] },
  },
  listWebhooks: { method: 'GET', path: '/webhooks', field: 'webhooks', refusals: {} },
  readWebhook: {
    method: 'GET',
    path: '/webhooks/{webhook_id}',
    field: 'webhook_id',
    refusals: { E2: [404] },
  },
  changeWebhook: {
    method: 'PUT',
    path: '/webhooks/{webhook_id}',
    field: 'webhook_id',
    refusals: { E1: [400, 413, 415], E2: [404], E3: [409] },
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/webhooks/{webhook_id}',
    field: 'webhook_id',
    refusals: { E2: [404] },
  },
  testWebhook: {
    method: 'POST',
    path: '/webhooks/{webhook_id}/test',
    field: 'message_id',
    refusals: { E2: [404], E5: [409] },
  },
  rollWebhookSecret: {
    method: 'POST',
    path: '/webhooks/{webhook_id}/roll-secret',
    field: 'secret',
    refusals: { E2: [404], E7: [409] },
  },
  disableWebhook: {
    method: 'POST',
    path: '/webhooks/{webhook_id}/disable',
    field: 'webhook_id',
    refusals: { E2: [404] },
  },
  enableWebhook: {
    method: 'POST',
    path: '/webhooks/{webhook_id}/enable',
    field: 'webhook_id',
    refusals: { E2: [404], E6: [409] },
  },
  listWebhookMessages: {
    method: 'GET',
    path: '/webhooks/{webhook_id}/messages',
    field: 'pagination',
    refusals: { E1: [400], E2: [404] },
  },
  resendWebhookMessage: {
    method: 'POST',
    path: '/webhooks/{webhook_id}/messages/{message_id}/resend',
    field: 'message_id',
    refusals: { E2: [404], E5: [409] },
  },
  resendWebhookMessages: {
    method: 'POST',
    path: '/webhooks/{webhook_id}/resend',
    field: 'resent',
    refusals: { E1: [400, 413, 415], E2: [404], E5: [409] },
  },
  // With a placement key. Neither has return codes.
  findPlacements: { method: 'POST', path: '/placements', field: 'placements', refusals: {} },
  sendViews: { method: 'POST', path: '/placements/views', field: 'accepted', refusals: {} },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof operations;
type RefusalsOf<Name extends OperationName> = (typeof operations)[Name]['refusals'];

/** The refusal codes of an endpoint. */
export type CodeOf<Name extends OperationName> = keyof RefusalsOf<Name> & string;

/** The HTTP statuses of a code of an endpoint. */
export type StatusOf<
  Name extends OperationName,
  Code extends CodeOf<Name>,
> = RefusalsOf<Name>[Code] extends readonly (infer Status)[] ? Status & number : never;

export function operationOf(name: OperationName): Operation {
  return operations[name];
}
