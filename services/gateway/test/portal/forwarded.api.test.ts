/** Requests that the portal forwards: what a service gets of them, and what the browser gets of the reply. */
import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { endpointFor } from '../../src/public-api/endpoints.ts';
import { type FakeUpstream, lastCallerAt } from '../forwarding/fake-upstream.ts';
import type { GatewayUnderTest } from '../gateway-under-test.ts';
import { callBy, organisationWithRoles, type TestOrganisation } from './members.ts';
import { startPortalUnderTest } from './portal-under-test.ts';

const portal = forAllTests(() => startPortalUnderTest());
let gateway: GatewayUnderTest;
let cafe: TestOrganisation;
beforeAll(async () => {
  gateway = portal.gateway;
  cafe = await organisationWithRoles(portal);
});
beforeEach(() => gateway.resetUpstreams());

const services = ['offers', 'pricing', 'billing', 'notifier'] as const;
const forwarded = () => services.flatMap((service) => gateway[service].seen);

type Row = readonly [
  method: string,
  path: string,
  service: (typeof services)[number],
  url: string,
  budgetMs: string,
  json?: object,
];
/** The public API, as a key would call it. */
const ofThePublicApi: readonly Row[] = [
  ['GET', '/categories', 'offers', '/categories', '2000'],
  ['GET', '/interests', 'offers', '/interests', '2000'],
  ['POST', '/offers/price-estimate', 'pricing', '/offers/price-estimate', '2000', { radius: 5 }],
  ['POST', '/offers', 'offers', '/offers', '25000', { title: 'Tea' }],
  ['POST', '/offers/17/pause', 'offers', '/offers/17/pause', '2000'],
  ['POST', '/offers/17/resume', 'offers', '/offers/17/resume', '2000'],
  ['GET', '/offers/17/analytics?interval=7d', 'offers', '/offers/17/analytics?interval=7d', '2000'],
  ['PATCH', '/offers/17', 'offers', '/offers/17', '15000', { title: 'Tea' }],
  ['DELETE', '/offers/17', 'offers', '/offers/17', '10000'],
];
/** What the public API does not have, or shows less of. */
const ofOffers: readonly Row[] = [
  '/offers?environment=test&limit=5',
  '/creations/order-17',
  '/offers/17',
  '/offers/17/credit',
  '/offers/17/analytics/series?interval=7d',
  '/offer-groups/17/analytics/series?interval=7d',
].map((path) => ['GET', path, 'offers', `/portal${path}`, '2000']);
const threshold = '/low-balance-threshold';
const ofBilling: readonly Row[] = [
  ['GET', '/balance', 'billing', '/internal/balance', '2000'],
  [
    'GET',
    '/billing/statement?from=2026-01-01T00%3A00Z&limit=5',
    'billing',
    '/internal/statement?from=2026-01-01T00%3A00Z&limit=5',
    '2000',
  ],
  ['GET', `/billing${threshold}`, 'billing', `/internal${threshold}`, '2000'],
  ['PUT', `/billing${threshold}`, 'billing', `/internal${threshold}`, '2000', { thresholdMinor: '500' }],
  ['POST', '/offer-groups/check', 'offers', '/portal/offer-groups/check', '25000', { title: 'Tea' }],
  ['POST', '/billing/top-ups', 'billing', '/internal/top-ups', '10000', { amountMinor: '1000' }],
  ['GET', '/billing/invoices?cursor=INV-000007', 'billing', '/internal/invoices?cursor=INV-000007', '2000'],
  ['GET', '/billing/invoices/INV-000007.html', 'billing', '/internal/invoices/INV-000007.html', '6000'],
  ['GET', '/billing/invoices/INV-000007.pdf', 'billing', '/internal/invoices/INV-000007.pdf', '6000'],
];
const inTestMode: readonly Row[] = [
  ['POST', '/billing/play-money', 'billing', '/internal/play-money', '2000', { amountMinor: '1000' }],
  [
    'POST',
    '/offers/17/simulated-traffic',
    'offers',
    '/portal/offers/17/simulated-traffic',
    '2000',
    { views: 5, clicks: 1 },
  ],
  ['GET', '/clock', 'offers', '/test/clock', '2000'],
  ['POST', '/clock', 'offers', '/test/clock', '10000', { advance_seconds: 60 }],
  ['DELETE', '/clock', 'offers', '/test/clock', '10000'],
];
const inBothModes = [...ofThePublicApi, ...ofOffers, ...ofBilling];

/** Expects that the service got exactly this request. */
async function expectForwarded(
  [method, , service, url, budgetMs, json]: Row,
  address: string,
  caller: object,
) {
  gateway.resetUpstreams();
  const headers = { 'idempotency-key': 'k-1' };
  const reply = await cafe.admin.call(method, address, json, { headers });
  expect([reply.status, reply.body]).toEqual([200, { return_code: 'S1' }]);
  expect(forwarded()).toMatchObject([
    { method, url, headers: { 'x-request-budget-ms': budgetMs, ...headers } },
  ]);
  expect(forwarded()[0]?.body.toString()).toBe(json === undefined ? '' : JSON.stringify(json));
  expect(lastCallerAt(gateway[service])).toMatchObject({
    audience: service,
    organisationId: cafe.organisationId,
    personId: cafe.admin.id,
    keyId: null,
    ...caller,
  });
}

describe('a forwarded request', () => {
  it.each(inBothModes)('%s %s reaches %s at %s, with the mode of its path and %s ms', async (...row) => {
    for (const mode of ['TEST', 'LIVE'])
      await expectForwarded(row, `/${mode.toLowerCase()}${row[1]}`, { mode });
  });

  it.each(inTestMode)('%s %s reaches %s at %s in TEST mode, and is 404 in LIVE mode', async (...row) => {
    await expectForwarded(row, `/test${row[1]}`, { mode: 'TEST' });
    const live = await cafe.admin.call(row[0], `/live${row[1]}`, row[5]);
    expect([live.status, live.body]).toEqual([404, { message: 'Not found' }]);
    expect(forwarded()).toHaveLength(1);
  });

  it('has the time of the test clock for an estimate in TEST mode', async () => {
    gateway.offers.testClockAheadSeconds = 3_600;
    const ahead = async (mode: string) => {
      await cafe.admin.call('POST', `/${mode}/offers/price-estimate`, {});
      return lastCallerAt(gateway.pricing).testClockAheadSeconds;
    };
    expect([await ahead('test'), await ahead('live')]).toEqual([3_600, undefined]);
  });

  it.each<Row>([
    ['GET', '/link-tags', 'offers', '/portal/link-tags', '2000'],
    ['GET', '/mail-preferences', 'notifier', '/internal/mail-preferences', '2000'],
    ['PUT', '/mail-preferences', 'notifier', '/internal/mail-preferences', '2000', { offerEnded: false }],
  ])('%s %s reaches the %s at %s in TEST mode', async (...row) => {
    await expectForwarded(row, row[1], { mode: 'TEST' });
  });

  it.each(['/test', '/live'])('below %s is 403 for a developer', async (mode) => {
    for (const [method, path, , , , json] of inBothModes)
      expect([path, (await cafe.developer.call(method, mode + path, json)).status]).toEqual([path, 403]);
    expect(forwarded()).toEqual([]);
  });

  it('of the public API is only for reading for a viewer', async () => {
    for (const [method, path, , , , json] of ofThePublicApi) {
      const { status } = await cafe.viewer.call(method, `/test${path}`, json);
      expect([method, path, status]).toEqual([method, path, method === 'GET' ? 200 : 403]);
    }
    expect(forwarded().every(({ method }) => method === 'GET')).toBe(true);
  });

  it('needs a session, the CSRF token for a change, and for billing and the test tools JSON as its body', async () => {
    expect(await callBy(portal.browser())('GET', '/test/offers')).toMatchObject({
      status: 401,
      body: { message: 'Sign in first' },
    });
    for (const [method, path, , , , json] of [...inBothModes, ...inTestMode]) {
      if (method === 'GET') continue;
      const isStreamed = path === '/offer-groups/check' || ofThePublicApi.some(([, known]) => known === path);
      const status = async (headers: Record<string, string>) =>
        (await cafe.admin.call(method, `/test${path}`, json, { headers })).status;
      expect([path, await status({ 'x-csrf-token': '' })]).toEqual([path, 403]);
      if (!isStreamed && json !== undefined)
        expect([path, await status({ 'content-type': 'text/plain' })]).toEqual([path, 415]);
    }
    expect(forwarded()).toEqual([]);
  });

  it.each([
    '/offers/17/image',
    '/internal/balance',
    '/../internal/balance',
    '/balance/x',
    '/billing',
    '/billing/charges',
    '/billing/balance',
    '/billing/offers/17/settle',
    '/billing/invoices/a/b',
    '/billing/../internal/charges',
    '/charges',
  ])('%s does not exist: 404', async (path) => {
    expect((await cafe.admin.call('GET', `/test${path}`)).status).toBe(404);
    expect((await cafe.admin.call('POST', `/test${path}`, {})).status).toBe(404);
    expect(forwarded()).toEqual([]);
  });

  it('is not possible with an API key where only the portal has the path', async () => {
    const { key } = await gateway.createKey(cafe.organisationId);
    const paths = [...ofOffers, ...inTestMode].flatMap(([method, path]) => [
      [method, path],
      [method, `/portal${path}`],
    ]);
    const ofPortal = paths.filter(
      ([method = '', path = '']) => endpointFor(method, path.split('?')[0]!) === undefined,
    );
    expect(ofPortal.length).toBeGreaterThan(paths.length / 2);
    for (const [method, path = ''] of ofPortal)
      expect([path, (await gateway.call(path, { key, method: method! })).status]).toEqual([path, 404]);
    expect(forwarded()).toEqual([]);
  });

  it('arrives byte for byte if it is an upload, however large other bodies may be', async () => {
    const body = Buffer.alloc(3_000_000, 'offer');
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const { cookie = '', csrfToken = '' } = cafe.marketer.browser;
    const headers = { ...type, cookie, 'x-csrf-token': csrfToken };
    const reply = await gateway.call('/portal/api/test/offers', { method: 'POST', body, headers });
    expect(reply.status).toBe(200);
    expect(gateway.offers.seen[0]?.body.equals(body)).toBe(true);
    expect(gateway.offers.seen[0]?.headers).toMatchObject({ ...type, 'content-length': '3000000' });
  });

  it('carries nothing of the session: no cookie, no CSRF token, no key of the browser', async () => {
    const { key } = await gateway.createKey(cafe.organisationId);
    const headers = { 'x-api-key': key, 'x-caller-context': 'forged' };
    await cafe.marketer.call('POST', '/live/offers', {}, { headers });
    expect(
      Object.keys(forwarded()[0]?.headers ?? {}).filter((name) => /cookie|csrf|key$/.test(name)),
    ).toEqual([]);
    expect(lastCallerAt(gateway.offers)).toMatchObject({ mode: 'LIVE', keyId: null });
  });
});

describe('the caller context of a person', () => {
  it('has the facts of the organisation as they are at the moment of the request', async () => {
    const own = await organisationWithRoles(portal);
    const callerOf = async (mode: string, member = own.admin) => {
      await member.call('GET', `/${mode}/categories`);
      return lastCallerAt(gateway.offers);
    };
    const { personId, ...before } = await callerOf('test');
    const quota = { perPerson: 100, perOrganisation: 500 };
    expect(before).toMatchObject({ currency: 'GBP', country: 'GB', quota, termsAccepted: false });
    const path = `/organisations/${own.organisationId}`;
    await gateway.admin('POST', `${path}/quota`, { mode: 'TEST', perPerson: 7 });
    await gateway.admin('POST', '/terms', { version: '2026-01', text: 'Be kind' });
    await gateway.admin('POST', `${path}/accept-terms`);
    expect(await callerOf('test')).toMatchObject({ personId, quota: { perPerson: 7 }, termsAccepted: true });
    expect(await callerOf('live')).toMatchObject({ personId, quota });
    expect((await callerOf('test', own.marketer)).personId).toBe(own.marketer.id);
  });

  it('has the organisation, mailbox and network that a key of the person has, so that both share one budget of estimates', async () => {
    const { key } = await gateway.createKey(cafe.organisationId);
    const ip = '198.51.100.9';
    const browser = portal.browser(ip);
    await browser.signIn(cafe.admin.email);
    const estimate = { method: 'POST', body: '{}' };
    await gateway.call('/offers/price-estimate', { ...estimate, key, ip });
    const { organisationId, mailbox, network } = lastCallerAt(gateway.pricing);
    expect([mailbox, network]).toEqual([expect.any(String), expect.any(String)]);
    await browser.call('/portal/api/test/offers/price-estimate', estimate);
    expect(lastCallerAt(gateway.pricing)).toMatchObject({ keyId: null, organisationId, mailbox, network });
  });
});

describe('the reply of a service', () => {
  it('comes back with its status, its headers and its body, and may not be cached', async () => {
    const refusal = { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' };
    gateway.offers.answer(401, refusal, { 'idempotent-replayed': 'true' });
    const reply = await cafe.marketer.call('DELETE', '/test/offers/17');
    expect([reply.status, reply.body]).toEqual([401, refusal]);
    expect(reply.headers.get('idempotent-replayed')).toBe('true');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('comes back byte for byte if it is a document', async () => {
    const pdf = randomBytes(200_000);
    const headers = {
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="INV-000007.pdf"',
      'content-security-policy': "default-src 'none'",
    };
    gateway.billing.respond = (_req, res) => {
      res.writeHead(200, headers);
      res.write(pdf.subarray(0, 1_000));
      setImmediate(() => res.end(pdf.subarray(1_000)));
    };
    const reply = await eventually(async () => {
      const reply = await fetch(`${gateway.url}/portal/api/live/billing/invoices/INV-000007.pdf`, {
        headers: { cookie: cafe.admin.browser.cookie ?? '' },
      });
      expect(reply.status).toBe(200);
      return reply;
    });
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      ...headers,
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await reply.arrayBuffer()).equals(pdf)).toBe(true);
  });

  it('is replaced by a 503 if it breaks off or never comes, but a creation has longer than the portal itself', async () => {
    const breaksOff: FakeUpstream['respond'] = (_req, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('{');
      setImmediate(() => res.destroy());
    };
    const expectUnavailable = async (respond: FakeUpstream['respond']) => {
      gateway.billing.respond = respond;
      const reply = await cafe.admin.call('GET', '/test/billing/statement', undefined, { once: true });
      expect([reply.status, reply.body]).toEqual([503, { message: 'Service unavailable' }]);
      expect(reply.headers.get('retry-after')).not.toBeNull();
    };
    // The portal's own requests have three seconds.
    gateway.offers.respond = (req, res) => {
      req.resume().once('end', () => setTimeout(() => res.end('{}'), 3_200));
    };
    const creation = cafe.marketer.call('POST', '/test/offers', {});
    await expectUnavailable(breaksOff);
    await expectUnavailable(() => {});
    expect((await creation).status).toBe(200);
  });
});

describe('an API client at the same address', () => {
  it('keeps its 60 requests a minute whatever the portal asks, and the call log has only its calls', async () => {
    const ip = '203.0.113.60';
    const browser = portal.browser(ip);
    await browser.signIn(cafe.marketer.email);
    const estimate = { method: 'POST', json: {} };
    for (let count = 0; count < 70; count += 1)
      expect((await browser.call('/portal/api/test/offers/price-estimate', estimate)).status).toBe(200);
    const { id, key } = await gateway.createKey(cafe.organisationId);
    await browser.call('/portal/api/test/interests', { headers: { 'x-api-key': key } });
    const reply = await gateway.call('/categories', { key, ip });
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('59');
    await eventually(async () =>
      expect(await gateway.callsOf(cafe.organisationId, `key_id=${id}`)).toMatchObject([
        { route: 'GET /categories' },
      ]),
    );
  });
});
