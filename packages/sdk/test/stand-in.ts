/** For tests: a real HTTP server that answers each endpoint as the service does, and records the requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Asked = {
  readonly route: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
};

export type StandIn = AsyncDisposable & { readonly url: string; readonly asked: readonly Asked[] };

const offer = (offer_id: number) => ({
  offer_id,
  title: 'Two for one',
  category: 'Food and drink',
  description: 'The second main course is on the house.',
  terms_and_conditions: '',
  advertised_name: null,
  url: 'https://example.com/two-for-one',
  image: 'https://ads.example.com/images/1.png?signature=x',
  latitude: 51.5074,
  longitude: -0.1278,
  radius: 10,
  gender: [],
  interests: [],
  start_datetime: '2035-06-01T12:00:00.000Z',
  expiry_datetime: '2035-06-03T12:00:00.000Z',
  creation_datetime: '2035-05-01T12:00:00.000Z',
  offer_status: 'Active',
  status: 'enabled',
});

function page(cursor: string | null) {
  const isLast = cursor !== null;
  const pagination = {
    limit: 2,
    count: isLast ? 1 : 2,
    has_more: !isLast,
    next_cursor: isLast ? null : 'second',
  };
  return { data: isLast ? [offer(1)] : [offer(3), offer(2)], pagination };
}

const placement = {
  offer_id: 4711,
  title: 'Two for one',
  description: 'The second main course is on the house.',
  terms_and_conditions: '',
  advertised_name: 'The Corner Table',
  category: { category_id: 1, category_name: 'Food and drink' },
  image: 'https://ads.example.com/images/1.png?signature=x',
  click_url: 'https://ads.example.com/c/token',
  view_token: 'payload.signature',
};

const testClock = { now: '2035-06-02T12:00:00.000Z', offset_seconds: 86_400, status: 'ready' } as const;
const webhook = {
  webhook_id: 'we_1',
  environment: 'TEST',
  url: 'https://shop.example/hooks',
  description: 'Shop',
  event_types: null,
  ed25519: false,
  public_key: null,
  status: 'enabled',
  disabled_reason: null,
  matching_users: 50,
  failing_since_datetime: null,
  previous_secret_expiry_datetime: null,
  creation_datetime: '2035-05-01T12:00:00.000Z',
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = {
  message_id: 'msg_1',
  event_type: 'webhook.test',
  status: 'pending',
  creation_datetime: '2035-05-01T12:00:00.000Z',
  next_attempt_datetime: '2035-05-01T12:00:00.000Z',
  body: { type: 'webhook.test', timestamp: '2035-05-01T12:00:00.000Z', data: {} },
  attempts: [],
};

const series = ({ searchParams }: URL) => ({
  interval: searchParams.get('interval'),
  start_datetime: '2035-06-01T12:00:00.000Z',
  end_datetime: '2035-06-02T12:00:00.000Z',
  metrics: { views: 30, clicks: 4 },
  granularity: searchParams.get('granularity'),
  bucket_seconds: 86_400,
  points: [
    { start_datetime: '2035-06-01T12:00:00.000Z', views: 10, clicks: 4 },
    { start_datetime: '2035-06-02T00:00:00.000Z', views: 20, clicks: 0 },
  ],
});

const replies: Readonly<Record<string, (url: URL, body: string) => object>> = {
  'GET /categories': () => ({ categories: [{ category_id: 1, category_name: 'Food and drink' }] }),
  'GET /interests': () => ({ interests: [{ interest_id: 1, interest_name: 'Hiking' }] }),
  'GET /key': () => ({
    environment: 'TEST',
    currency: 'GBP',
    access: 'full',
    spending_limits: { day: null, month: null },
  }),
  'GET /balance': () => ({ environment: 'TEST', currency: 'GBP', balance: 904 }),
  'GET /balance/entries': () => ({
    environment: 'TEST',
    currency: 'GBP',
    data: [
      {
        booking_datetime: '2035-06-01T12:00:00.000Z',
        kind: 'offer-charge',
        cause: 'offer 4711 charged',
        offer_id: 4711,
        title: 'Two for one',
        amount: -96,
        balance_after: 904,
        card: null,
      },
    ],
    pagination: { limit: 20, count: 1, has_more: false, next_cursor: null },
  }),
  'POST /offers/price-estimate': (_, body) => ({
    return_code: 'S1',
    price_estimate: 96_000,
    ad_units: 96_000,
    matching_users: 2_000,
    ad_unit_price: 0.001,
    estimated_cost: 96,
    currency: 'GBP',
    exchange_rate_per_gbp: 1,
    exchange_rate_date: null,
    ...(body.includes('"quote":true') && {
      quote_id: 'a.quote',
      quote_expiry_datetime: '2035-06-01T12:05:00.000Z',
    }),
  }),
  'POST /offers': () => ({
    return_code: 'S1',
    offer_id: 4711,
    status: 'Awaiting Payment',
    payment_url: 'https://ads.example.com/pay/token',
    currency: 'GBP',
  }),
  'GET /offers': ({ searchParams }) => page(searchParams.get('cursor')),
  'GET /offers/4711': () => ({
    ...offer(4711),
    payment_url: null,
    disabled_reason: null,
    group_id: null,
    place_label: null,
    actions: ['pause', 'edit', 'delete'],
  }),
  'PATCH /offers/4711': () => ({ return_code: 'S1', message: 'Offer has been updated' }),
  'POST /offers/4711/pause': () => ({ return_code: 'S1', message: 'Offer has been paused' }),
  'POST /offers/4711/resume': () => ({ return_code: 'S2', message: 'Offer has been resumed' }),
  'DELETE /offers/4711': () => ({ return_code: 'S1', message: 'Offer has been deleted' }),
  'GET /offers/4711/analytics': ({ searchParams }) => ({
    offer_id: 4711,
    interval: searchParams.get('interval'),
    start_datetime: '2035-06-01T12:00:00.000Z',
    end_datetime: '2035-06-02T12:00:00.000Z',
    status: 'Active',
    metrics: { views: 30, clicks: 4 },
  }),
  'GET /offers/4711/analytics/series': (asked) => ({ offer_id: 4711, status: 'Active', ...series(asked) }),
  'GET /offers/4711/results': () => ({
    offer_id: 4711,
    status: 'Active',
    currency: 'GBP',
    matching_users: 2_000,
    cost: 96,
    spent: 96,
    views: 30,
    clicks: 4,
    cost_per_click: 24,
    cost_per_thousand_views: 3_200,
    bought_seconds: 172_800,
    ran_seconds: 86_400,
  }),
  'GET /offers/4711/changes': () => ({
    data: [
      {
        change_id: 2,
        what: 'edited',
        changed_datetime: '2035-06-01T13:00:00.000Z',
        by: 'person',
        fields: ['title', 'url'],
        following_offer_id: null,
      },
    ],
    pagination: { limit: 20, count: 1, has_more: false, next_cursor: null },
  }),
  'GET /results': ({ searchParams }) => ({
    interval: searchParams.get('interval'),
    time_zone: searchParams.get('time_zone') ?? 'UTC',
    start_datetime: '2035-05-26T12:00:00.000Z',
    end_datetime: '2035-06-02T12:00:00.000Z',
    currency: 'GBP',
    current: { views: 30, clicks: 4, spent: 96 },
    before: { views: 0, clicks: 0, spent: null },
    bucket_seconds: 86_400,
    points: [],
    best_offers: [{ offer_id: 4711, title: 'Two for one', place_label: null, views: 30, clicks: 4 }],
  }),
  'POST /offers/4711/credit-estimate': () => ({
    return_code: 'S1',
    offer_id: 4711,
    status: 'Active',
    currency: 'GBP',
    cost: 96,
    estimated_credit: 48,
    as_of_datetime: '2035-06-02T12:00:00.000Z',
  }),
  'POST /offer-groups/price-estimate': () => ({
    return_code: 'S1',
    ad_units: 192_000,
    ad_unit_price: 0.001,
    estimated_cost: 192,
    currency: 'GBP',
    exchange_rate_per_gbp: 1,
    exchange_rate_date: null,
    places: ['Soho', null].map((label) => ({
      label,
      ad_units: 96_000,
      matching_users: 2_000,
      estimated_cost: 96,
    })),
  }),
  'POST /offer-groups': () => ({
    return_code: 'S1',
    group_id: 7,
    offers: [{ offer_id: 4711, status: 'Active', label: 'Soho' }],
    payment_url: null,
    currency: 'GBP',
  }),
  'GET /offer-groups/7': () => ({
    group_id: 7,
    title: 'Two for one',
    currency: 'GBP',
    payment_url: null,
    offers: [
      {
        offer_id: 4711,
        label: 'Soho',
        latitude: 51.5136,
        longitude: -0.1365,
        offer_status: 'Active',
        status: 'enabled',
        cost: 96,
        views: 30,
        clicks: 4,
      },
    ],
    totals: { offers: 1, live: 1, views: 30, clicks: 4, spent: 96 },
  }),
  'GET /offer-groups/7/analytics/series': (asked) => ({ group_id: 7, ...series(asked) }),
  'PATCH /offer-groups/7': () => ({ return_code: 'S1', message: 'Offers have been updated' }),
  'POST /offer-groups/7/pause': () => groupChange('Offer has been paused'),
  'POST /offer-groups/7/resume': () => groupChange('Offer has been resumed'),
  'DELETE /offer-groups/7': () => groupChange('Offer has been deleted'),
  'GET /test/clock': () => testClock,
  'POST /test/clock': () => testClock,
  'DELETE /test/clock': () => ({ ...testClock, offset_seconds: 0 }),
  'GET /webhooks': () => ({ webhooks: [webhook], sender_addresses: null }),
  'POST /webhooks': () => ({ ...webhook, secret }),
  'GET /webhooks/we_1': () => webhook,
  'PUT /webhooks/we_1': () => webhook,
  'DELETE /webhooks/we_1': () => ({ webhook_id: 'we_1', message: 'Webhook has been deleted' }),
  'POST /webhooks/we_1/test': () => message,
  'POST /webhooks/we_1/roll-secret': () => ({ ...webhook, secret }),
  'POST /webhooks/we_1/disable': () => webhook,
  'POST /webhooks/we_1/enable': () => webhook,
  'GET /webhooks/we_1/messages': () => ({
    data: [message],
    pagination: { limit: 20, count: 1, has_more: false, next_cursor: null },
  }),
  'POST /webhooks/we_1/messages/msg_1/resend': () => message,
  'POST /webhooks/we_1/resend': () => ({ resent: 1, next_since: null }),
  'POST /placements': () => ({ placements: [placement] }),
  'POST /placements/views': () => ({ accepted: 1, refused: [] }),
};

const groupChange = (message: string) => ({
  return_code: 'S1',
  results: [{ offer_id: 4711, done: true, message }],
});

export async function startStandIn(): Promise<StandIn> {
  const asked: Asked[] = [];
  // As that of the gateway: the caller closes an idle connection first.
  const server = createServer({ keepAliveTimeoutBuffer: 60_000 }, (req, res) => void answer(req, res));
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const url = new URL(req.url ?? '/', 'http://service');
    const route = `${req.method} ${url.pathname}`;
    asked.push({ route, headers: req.headers, body: Buffer.concat(chunks) });
    const reply = replies[route];
    const prefix = url.pathname.startsWith('/placements') ? 'pk_place_test_' : 'pk_test_';
    const isKnown = String(req.headers['x-api-key']).startsWith(prefix);
    const [status, body] = !isKnown
      ? [401, { message: 'Unauthorised' }]
      : reply === undefined
        ? [401, { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' }]
        : [200, reply(url, Buffer.concat(chunks).toString())];
    res.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `request-${asked.length}` });
    res.end(JSON.stringify(body));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
