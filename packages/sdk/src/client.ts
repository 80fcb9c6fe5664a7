/** The client: one function per endpoint. Only closures hold the key, so that printing a client never shows it. */
import { estimateBody, instantText, jsonBody, offerBody, updateBody } from './body.ts';
import { call, type Request } from './call.ts';
import type { Clock } from './clock.ts';
import { invalidArgument } from './error.ts';
import { type OfferList, offerList } from './offer-list.ts';
import type { OperationName } from './operations.ts';
import {
  type CallOptions,
  type ClientOptions,
  type CreateOptions,
  type Settings,
  settingsFrom,
} from './options.ts';
import type { CreateGroupResult, CreateResult, ResultOf } from './result.ts';
import type {
  AdvanceRequest,
  AnalyticsInterval,
  CreateGroupRequest,
  CreateOfferRequest,
  EstimateRequest,
  GroupEstimateRequest,
  ListOffersRequest,
  MessagesRequest,
  Mode,
  PageRequest,
  ResendRequest,
  ResultsRequest,
  SeriesRequest,
  UpdateOfferRequest,
  WebhookRequest,
} from './types.ts';

export type OfferAds = {
  /** The mode in the key's prefix; undefined for a key from before modes were recorded. */
  readonly mode: Mode | undefined;
  readonly categories: {
    readonly list: (options?: CallOptions) => Promise<ResultOf<'listCategories'>>;
  };
  readonly interests: {
    readonly list: (options?: CallOptions) => Promise<ResultOf<'listInterests'>>;
  };
  readonly key: {
    /** What the key may do and spend. */
    readonly get: (options?: CallOptions) => Promise<ResultOf<'readKey'>>;
  };
  readonly balance: {
    readonly get: (options?: CallOptions) => Promise<ResultOf<'readBalance'>>;
    /** One page, newest first. */
    readonly entries: (
      request?: PageRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'listBalanceEntries'>>;
  };
  readonly results: {
    /** Views, clicks and spend of all offers in a period. */
    readonly get: (request?: ResultsRequest, options?: CallOptions) => Promise<ResultOf<'readResults'>>;
  };
  readonly webhooks: {
    /** The result has the secret, which is shown this once. A repeat after a lost reply has the same secret. */
    readonly create: (request: WebhookRequest, options?: CreateOptions) => Promise<ResultOf<'createWebhook'>>;
    readonly list: (options?: CallOptions) => Promise<ResultOf<'listWebhooks'>>;
    readonly get: (webhookId: string, options?: CallOptions) => Promise<ResultOf<'readWebhook'>>;
    /** Replaces url, description and event types. */
    readonly change: (
      webhookId: string,
      request: WebhookRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'changeWebhook'>>;
    readonly delete: (webhookId: string, options?: CallOptions) => Promise<ResultOf<'deleteWebhook'>>;
    readonly sendTest: (webhookId: string, options?: CallOptions) => Promise<ResultOf<'testWebhook'>>;
    /** The result has the new secret. The old one also signs for 24 hours. */
    readonly rollSecret: (webhookId: string, options?: CallOptions) => Promise<ResultOf<'rollWebhookSecret'>>;
    readonly disable: (webhookId: string, options?: CallOptions) => Promise<ResultOf<'disableWebhook'>>;
    readonly enable: (webhookId: string, options?: CallOptions) => Promise<ResultOf<'enableWebhook'>>;
    /** One page, the latest first. */
    readonly messages: (
      webhookId: string,
      request?: MessagesRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'listWebhookMessages'>>;
    readonly resend: (
      webhookId: string,
      messageId: string,
      options?: CallOptions,
    ) => Promise<ResultOf<'resendWebhookMessage'>>;
    /** All failed and missed messages since a moment, at most 1,000. */
    readonly resendSince: (
      webhookId: string,
      request: ResendRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'resendWebhookMessages'>>;
  };
  readonly offers: {
    readonly estimate: (
      request: EstimateRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'estimatePrice'>>;
    readonly create: (request: CreateOfferRequest, options?: CreateOptions) => Promise<CreateResult>;
    /** Sends no request by itself: iterate over it, or call its `page()` or `pages()`. */
    readonly list: (request?: ListOffersRequest, options?: CallOptions) => OfferList;
    /** One offer, and what can be done with it now. */
    readonly get: (offerId: number, options?: CallOptions) => Promise<ResultOf<'readOffer'>>;
    /** Changes what members see of it; what the request leaves out stays. */
    readonly update: (
      offerId: number,
      request: UpdateOfferRequest,
      options?: CreateOptions,
    ) => Promise<ResultOf<'updateOffer'>>;
    readonly pause: (offerId: number, options?: CallOptions) => Promise<ResultOf<'pauseOffer'>>;
    readonly resume: (offerId: number, options?: CallOptions) => Promise<ResultOf<'resumeOffer'>>;
    readonly analytics: (
      offerId: number,
      interval: AnalyticsInterval,
      options?: CallOptions,
    ) => Promise<ResultOf<'readAnalytics'>>;
    readonly series: (
      offerId: number,
      request: SeriesRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'readAnalyticsSeries'>>;
    /** What it has brought for its price. */
    readonly results: (offerId: number, options?: CallOptions) => Promise<ResultOf<'readOfferResults'>>;
    /** One page, newest first. */
    readonly changes: (
      offerId: number,
      request?: PageRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'listOfferChanges'>>;
    /** What a deletion would credit now. */
    readonly estimateCredit: (offerId: number, options?: CallOptions) => Promise<ResultOf<'estimateCredit'>>;
    readonly delete: (offerId: number, options?: CallOptions) => Promise<ResultOf<'deleteOffer'>>;
  };
  /** The same offer at several places: one order, and one payment. */
  readonly groups: {
    readonly estimate: (
      request: GroupEstimateRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'estimateGroupPrice'>>;
    readonly create: (request: CreateGroupRequest, options?: CreateOptions) => Promise<CreateGroupResult>;
    readonly get: (groupId: number, options?: CallOptions) => Promise<ResultOf<'readGroup'>>;
    readonly series: (
      groupId: number,
      request: SeriesRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'readGroupSeries'>>;
    /** Changes what members see of all its offers, or of none; what the request leaves out stays. */
    readonly update: (
      groupId: number,
      request: UpdateOfferRequest,
      options?: CreateOptions,
    ) => Promise<ResultOf<'updateGroup'>>;
    readonly pause: (groupId: number, options?: CallOptions) => Promise<ResultOf<'pauseGroup'>>;
    readonly resume: (groupId: number, options?: CallOptions) => Promise<ResultOf<'resumeGroup'>>;
    readonly delete: (groupId: number, options?: CallOptions) => Promise<ResultOf<'deleteGroup'>>;
  };
  /** The time of the TEST offers. With a TEST key only. */
  readonly testClock: {
    readonly get: (options?: CallOptions) => Promise<ResultOf<'readTestClock'>>;
    /** Moves it forward. Not repeated when the reply is lost: look at the clock then. */
    readonly advance: (
      request: AdvanceRequest,
      options?: CallOptions,
    ) => Promise<ResultOf<'advanceTestClock'>>;
    /** Back to the real time, when every TEST offer has ended or was deleted. */
    readonly reset: (options?: CallOptions) => Promise<ResultOf<'resetTestClock'>>;
  };
};

/** @throws OfferAdsError of kind `invalid-argument` */
export function createClient(options: ClientOptions): OfferAds {
  return clientWith(settingsFrom(options));
}

/** The same with an injected clock. */
export function createClientAt(clock: Clock, options: ClientOptions): OfferAds {
  return clientWith(settingsFrom(options, clock));
}

function clientWith(settings: Settings): OfferAds {
  const ask = <Name extends OperationName>(
    request: Request & { readonly name: Name },
    options: CallOptions = {},
  ) => call(settings, request, options);
  const ofOffer = <Name extends OperationName>(name: Name, offerId: number, rest = '') => ({
    name,
    path: `/offers/${checkedId(offerId)}${rest}`,
  });
  const ofWebhook = <Name extends OperationName>(name: Name, webhookId: string, rest = '') => ({
    name,
    path: `/webhooks/${checkedText('a webhook id', webhookId)}${rest}`,
  });
  const ofGroup = <Name extends OperationName>(name: Name, groupId: number, rest = '') => ({
    name,
    path: `/offer-groups/${checkedId(groupId, 'a group id')}${rest}`,
  });
  const update = async <Name extends 'updateOffer' | 'updateGroup'>(
    target: { readonly name: Name; readonly path: string },
    request: UpdateOfferRequest,
    options: CreateOptions = {},
  ) => {
    const idempotencyKey = checkedIdempotencyKey(options.idempotencyKey ?? crypto.randomUUID());
    return ask({ ...target, body: updateBody(request), idempotencyKey }, options);
  };
  const environment = settings.mode;
  const create = async <Name extends 'createOffer' | 'createGroup'>(
    name: Name,
    path: string,
    request: CreateOfferRequest | CreateGroupRequest,
    options: CreateOptions = {},
  ) => {
    const idempotencyKey = checkedIdempotencyKey(options.idempotencyKey ?? crypto.randomUUID());
    const body = offerBody({ environment, ...withoutMissing(request) });
    const result = await ask({ name, path, body, idempotencyKey }, options);
    if (!result.ok) return { ...result, idempotencyKey };
    const replayed = result.reply.headers.get('idempotent-replayed') === 'true';
    return { ...result, idempotencyKey, replayed };
  };

  return {
    mode: settings.mode,
    categories: {
      list: async (options) => ask({ name: 'listCategories', path: '/categories' }, options),
    },
    interests: {
      list: async (options) => ask({ name: 'listInterests', path: '/interests' }, options),
    },
    key: {
      get: async (options) => ask({ name: 'readKey', path: '/key' }, options),
    },
    balance: {
      get: async (options) => ask({ name: 'readBalance', path: '/balance' }, options),
      entries: async (request = {}, options = {}) => {
        const query = queryOf(request);
        return ask({ name: 'listBalanceEntries', path: `/balance/entries?${query.toString()}` }, options);
      },
    },
    results: {
      get: async (request = {}, options = {}) => {
        const query = queryOf(request).toString();
        return ask({ name: 'readResults', path: `/results?${query}` }, options);
      },
    },
    webhooks: {
      create: async (request, options = {}) => {
        const idempotencyKey = checkedIdempotencyKey(options.idempotencyKey ?? crypto.randomUUID());
        const body = jsonBody(request);
        return ask({ name: 'createWebhook', path: '/webhooks', body, idempotencyKey }, options);
      },
      list: async (options) => ask({ name: 'listWebhooks', path: '/webhooks' }, options),
      get: async (webhookId, options) => ask(ofWebhook('readWebhook', webhookId), options),
      change: async (webhookId, request, options) =>
        ask({ ...ofWebhook('changeWebhook', webhookId), body: jsonBody(request) }, options),
      delete: async (webhookId, options) => ask(ofWebhook('deleteWebhook', webhookId), options),
      sendTest: async (webhookId, options) => ask(ofWebhook('testWebhook', webhookId, '/test'), options),
      rollSecret: async (webhookId, options) =>
        ask(ofWebhook('rollWebhookSecret', webhookId, '/roll-secret'), options),
      disable: async (webhookId, options) => ask(ofWebhook('disableWebhook', webhookId, '/disable'), options),
      enable: async (webhookId, options) => ask(ofWebhook('enableWebhook', webhookId, '/enable'), options),
      messages: async (webhookId, request = {}, options = {}) => {
        const query = queryOf(request).toString();
        return ask(ofWebhook('listWebhookMessages', webhookId, `/messages?${query}`), options);
      },
      resend: async (webhookId, messageId, options) => {
        const rest = `/messages/${checkedText('a message id', messageId)}/resend`;
        return ask(ofWebhook('resendWebhookMessage', webhookId, rest), options);
      },
      resendSince: async (webhookId, { since, ...request }, options) => {
        const body = jsonBody({ ...request, since: instantText('since', since) });
        return ask({ ...ofWebhook('resendWebhookMessages', webhookId, '/resend'), body }, options);
      },
    },
    offers: {
      estimate: async (request, options) => {
        const body = estimateBody({ environment, ...withoutMissing(request) });
        return ask({ name: 'estimatePrice', path: '/offers/price-estimate', body }, options);
      },
      create: async (request, options) => create('createOffer', '/offers', request, options),
      list: (request = {}, options = {}) => {
        const readPage = async (page: ListOffersRequest): Promise<ResultOf<'listOffers'>> => {
          const query = listQuery({ environment, ...withoutMissing(page) });
          return ask({ name: 'listOffers', path: `/offers?${query.toString()}` }, options);
        };
        return offerList(request, readPage);
      },
      get: async (offerId, options) => ask(ofOffer('readOffer', offerId), options),
      update: async (offerId, request, options) => update(ofOffer('updateOffer', offerId), request, options),
      pause: async (offerId, options) => ask(ofOffer('pauseOffer', offerId, '/pause'), options),
      resume: async (offerId, options) => ask(ofOffer('resumeOffer', offerId, '/resume'), options),
      analytics: async (offerId, interval, options) => {
        const query = new URLSearchParams({ interval });
        return ask(ofOffer('readAnalytics', offerId, `/analytics?${query.toString()}`), options);
      },
      series: async (offerId, request, options) =>
        ask(ofOffer('readAnalyticsSeries', offerId, seriesPath(request)), options),
      results: async (offerId, options) => ask(ofOffer('readOfferResults', offerId, '/results'), options),
      changes: async (offerId, request = {}, options = {}) => {
        const query = queryOf(request).toString();
        return ask(ofOffer('listOfferChanges', offerId, `/changes?${query}`), options);
      },
      estimateCredit: async (offerId, options) =>
        ask(ofOffer('estimateCredit', offerId, '/credit-estimate'), options),
      delete: async (offerId, options) => ask(ofOffer('deleteOffer', offerId), options),
    },
    groups: {
      estimate: async (request, options) => {
        const body = estimateBody({ environment, ...withoutMissing(request) });
        return ask({ name: 'estimateGroupPrice', path: '/offer-groups/price-estimate', body }, options);
      },
      create: async (request, options) => create('createGroup', '/offer-groups', request, options),
      get: async (groupId, options) => ask(ofGroup('readGroup', groupId), options),
      series: async (groupId, request, options) =>
        ask(ofGroup('readGroupSeries', groupId, seriesPath(request)), options),
      update: async (groupId, request, options) => update(ofGroup('updateGroup', groupId), request, options),
      pause: async (groupId, options) => ask(ofGroup('pauseGroup', groupId, '/pause'), options),
      resume: async (groupId, options) => ask(ofGroup('resumeGroup', groupId, '/resume'), options),
      delete: async (groupId, options) => ask(ofGroup('deleteGroup', groupId), options),
    },
    testClock: {
      get: async (options) => ask({ name: 'readTestClock', path: '/test/clock' }, options),
      advance: async (request, options) => {
        const body = jsonBody('now' in request ? { now: instantText('now', request.now) } : request);
        return ask({ name: 'advanceTestClock', path: '/test/clock', body }, options);
      },
      reset: async (options) => ask({ name: 'resetTestClock', path: '/test/clock' }, options),
    },
  };
}

/** Without fields that are undefined or null: `quote_id` of an estimate may be null. */
function withoutMissing<T extends object>(request: T): T {
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== undefined && value !== null),
  ) as T;
}

function listQuery(request: ListOffersRequest): URLSearchParams {
  return queryOf({
    ...request,
    created_after: instantText('created_after', request.created_after),
    created_before: instantText('created_before', request.created_before),
  });
}

function seriesPath(request: SeriesRequest): string {
  return `/analytics/series?${queryOf(request).toString()}`;
}

function queryOf(fields: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query;
}

function checkedId(id: unknown, what = 'an offer id'): string {
  if (Number.isSafeInteger(id)) return String(id);
  throw invalidArgument(`${what} is a whole number`);
}

/** An id as a part of a path. */
function checkedText(what: string, id: unknown): string {
  if (typeof id === 'string' && /^[\w-]{1,100}$/.test(id)) return id;
  throw invalidArgument(`${what} is a text such as ${what === 'a message id' ? 'msg_' : 'we_'}...`);
}

function checkedIdempotencyKey(key: unknown): string {
  if (typeof key === 'string' && /^[!-~]{1,255}$/.test(key)) return key;
  throw invalidArgument('idempotencyKey must be 1 to 255 printable ASCII characters without spaces');
}
