/**
 * An advertiser who calls by the SDK, for the same tests that call by HTTP. Each reply is compared: the one on the wire and the
 * result of the SDK must agree.
 */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { offerTexts } from '@offer-ads/contracts/values/offer-texts';
import {
  type AnalyticsInterval,
  type CreateOfferRequest,
  createClient,
  type EstimateRequest,
  type ListOffersRequest,
  type OfferAds,
  OfferAdsError,
  type ReplyInfo,
  type SeriesRequest,
} from '@offer-ads/sdk';
import { type OperationName, operations } from '@offer-ads/sdk/operations';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import {
  type Advertiser,
  type AnyBody,
  type CallsFrom,
  type ClientKind,
  type Reply,
  unusedAddress,
} from '../harness/advertiser.ts';
import type { System } from '../harness/system.ts';

/** A row of an endpoint's table of codes, such as `createOffer E3 200`; without a code `createOffer 429`. */
export type Row = string;

/** `reached` collects the rows of the replies. */
export function bySdk(reached: Set<Row>): ClientKind {
  return {
    name: 'by the SDK',
    canSendMalformed: false,
    // A client needs a key, so this one does not exist.
    advertiser: (system, key, from) => sdkAdvertiser(system, key ?? 'pk_test_nobody', reached, from),
  };
}

/** The client itself. Each request has another client address. */
export function sdkClient(
  system: Pick<System, 'state'>,
  apiKey: string,
  options: { maxRetries?: number } = {},
): OfferAds {
  return createClient({
    apiKey,
    baseUrl: system.state().gateway,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, 'x-forwarded-for': unusedAddress() } }),
    ...options,
  });
}

type Result =
  | { readonly ok: true; readonly value: object; readonly reply: ReplyInfo }
  | {
      readonly ok: false;
      readonly code: string;
      readonly status: number;
      readonly message: string;
      readonly reply: ReplyInfo;
    };
type Wire = { readonly status: number; readonly headers: Headers; readonly body: AnyBody };

function sdkAdvertiser(
  system: Pick<System, 'state'>,
  apiKey: string,
  reached: Set<Row>,
  { address }: CallsFrom = {},
): Advertiser {
  /** Sends one request without retries, so that the test sees each reply. */
  async function ask(operation: (ads: OfferAds) => Promise<Result>) {
    let wire: Wire | undefined;
    const ads = createClient({
      apiKey,
      baseUrl: system.state().gateway,
      maxRetries: 0,
      fetch: async (url, init) => {
        const response = await fetch(url, {
          ...init,
          headers: { ...init.headers, 'x-forwarded-for': address ?? unusedAddress() },
        });
        const body = (await response.clone().json()) as AnyBody;
        wire = { status: response.status, headers: response.headers, body };
        return response;
      },
    });
    const outcome = await operation(ads).catch((error: unknown) => error as Error);
    if (wire === undefined) throw outcome instanceof Error ? outcome : new Error('nothing was sent');
    return { ...wire, outcome };
  }

  async function through(name: OperationName, operation: (ads: OfferAds) => Promise<Result>): Promise<Reply> {
    const { outcome, ...wire } = await patiently(() => ask(operation));
    const reply = outcome instanceof Error ? asFault(outcome, wire) : asReply(outcome, wire);
    const code = outcome instanceof Error ? undefined : reply.body.return_code;
    reached.add([name, code, reply.status].filter((part) => part !== undefined).join(' '));
    return reply;
  }

  const request: Advertiser['request'] = async (method, path) => {
    const { pathname, searchParams } = new URL(path, 'http://service');
    const query = Object.fromEntries(searchParams);
    const [, , id, action] = pathname.split('/');
    const offerId = Number(id);
    const listed: ListOffersRequest = {
      ...query,
      limit: query.limit === undefined ? undefined : Number(query.limit),
    };
    switch (`${method} ${pathname.replace(/\d+/, '{offer_id}')}`) {
      case 'GET /categories':
        return through('listCategories', (ads) => ads.categories.list());
      case 'GET /interests':
        return through('listInterests', (ads) => ads.interests.list());
      case 'GET /balance':
        return through('readBalance', (ads) => ads.balance.get());
      case 'GET /balance/entries':
        return through('listBalanceEntries', (ads) => ads.balance.entries({ limit: Number(query.limit) }));
      case 'GET /test/clock':
        return through('readTestClock', (ads) => ads.testClock.get());
      case 'POST /test/clock':
        return through('advanceTestClock', (ads) =>
          ads.testClock.advance({ advance_seconds: Number(query.advance_seconds) }),
        );
      case 'DELETE /test/clock':
        return through('resetTestClock', (ads) => ads.testClock.reset());
      case 'GET /offers':
        return through('listOffers', (ads) => ads.offers.list(listed).page());
      case 'GET /offers/{offer_id}/analytics':
        return through('readAnalytics', (ads) =>
          ads.offers.analytics(offerId, query.interval as AnalyticsInterval),
        );
      case 'GET /offers/{offer_id}':
        return through('readOffer', (ads) => ads.offers.get(offerId));
      case 'GET /offers/{offer_id}/analytics/series':
        return through('readAnalyticsSeries', (ads) =>
          ads.offers.series(offerId, query as unknown as SeriesRequest),
        );
      case 'POST /offers/{offer_id}/credit-estimate':
        return through('estimateCredit', (ads) => ads.offers.estimateCredit(offerId));
      case 'POST /offers/{offer_id}/pause':
        return through('pauseOffer', (ads) => ads.offers.pause(offerId));
      case 'POST /offers/{offer_id}/resume':
        return through('resumeOffer', (ads) => ads.offers.resume(offerId));
      case 'DELETE /offers/{offer_id}':
        return through('deleteOffer', (ads) => ads.offers.delete(offerId));
      default:
        throw new Error(`the SDK has no ${method} ${pathname} ${action ?? ''}`);
    }
  };
  return {
    request,
    json: (_method, _path, body) =>
      through('estimatePrice', (ads) => ads.offers.estimate(body as EstimateRequest)),
    create: (form, idempotencyKey) => {
      const key = idempotencyKey ?? randomUUID();
      return through('createOffer', (ads) => ads.offers.create(requestOf(form), { idempotencyKey: key }));
    },
  };
}

function asReply(result: Result, wire: Wire): Reply {
  const body = result.ok
    ? result.value
    : { return_code: result.code, status: 'Error', code: result.status, message: result.message };
  expect({ status: result.reply.status, body }).toEqual({ status: wire.status, body: wire.body });
  expect(result.reply.requestId).toBe(wire.headers.get('x-request-id'));
  return { status: result.reply.status, headers: result.reply.headers, body: body as AnyBody };
}

function asFault(error: Error, wire: Wire): Reply {
  if (!(error instanceof OfferAdsError)) throw error;
  expect(error).toMatchObject({
    kind: kinds[wire.status],
    status: wire.status,
    code: wire.body.return_code,
    requestId: wire.headers.get('x-request-id'),
    message: expect.stringContaining(wire.body.message),
  });
  const seconds = wire.headers.get('retry-after');
  expect(error.retryAfterMs).toBe(seconds === null ? undefined : Number(seconds) * 1_000);
  return wire;
}

const kinds: Readonly<Record<number, string>> = {
  401: 'unauthorised',
  409: 'in-flight',
  422: 'key-reused',
  429: 'rate-limited',
  500: 'server',
  503: 'unavailable',
};

/** Turns a form into the SDK's request, with all its invalid values. */
function requestOf(form: FormData): CreateOfferRequest {
  const all = (name: string) => (form.has(name) ? form.getAll(name) : undefined);
  const numbers = (name: string) => all(name)?.map(Number);
  const one = (name: string) => form.get(name) ?? undefined;
  const number = (name: string) => (form.has(name) ? Number(one(name)) : undefined);
  const texts = [
    ...Object.values(offerTexts).map(({ field }) => field),
    'url',
    'image',
    'payment_method',
    'quote_id',
  ];
  const others = ['start_datetime', 'expiry_datetime', 'environment'];
  return {
    ...Object.fromEntries([...texts, ...others].map((name) => [name, one(name)])),
    category_id: number('category_id'),
    radius: number('radius'),
    location: numbers('location[]'),
    gender: all('gender[]'),
    interests: numbers('interests[]'),
  } as unknown as CreateOfferRequest;
}

/** Every row of every endpoint's table of codes. */
export function everyRow(): readonly Row[] {
  return Object.entries(operations).flatMap(([name, operation]) => {
    const refusals = Object.entries(operation.refusals).flatMap(([code, statuses]) =>
      (statuses as readonly number[]).map((status) => `${name} ${code} ${status}`),
    );
    const success = 'success' in operation ? `${name} ${operation.success} 200` : `${name} 200`;
    return refusals.concat(success);
  });
}
