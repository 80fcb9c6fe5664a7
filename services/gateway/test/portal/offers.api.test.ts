/** The public API under a session: who may, what the services are told, and what of the request they see. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { answerJson } from '../forwarding/fake-upstream.ts';
import { type Browser, type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

let portal: PortalUnderTest;
let organisationId: number;
let admin: Browser;
let developer: Browser;
let marketer: Browser;

beforeAll(async () => {
  portal = await startPortalUnderTest();
  organisationId = await portal.organisationOf('ann@cafe.test', 'Corner Cafe');
  const invite = (email: string, role: string) =>
    portal.gateway.admin('POST', `/organisations/${organisationId}/people`, { email, role });
  await invite('dev@cafe.test', 'developer');
  await invite('mia@cafe.test', 'marketer');
  [admin, developer, marketer] = [portal.browser(), portal.browser(), portal.browser()];
  await admin.signIn('ann@cafe.test');
  await developer.signIn('dev@cafe.test');
  await marketer.signIn('mia@cafe.test');
});
afterAll(async () => portal[Symbol.asyncDispose]());

const services = ['offers', 'pricing', 'billing'] as const;
beforeEach(() => {
  for (const service of services) {
    const fake = portal.gateway[service];
    fake.seen.length = 0;
    fake.respond = answerJson((seen) => {
      fake.seen.push(seen);
      return { status: 200, body: { return_code: 'S1' } };
    });
  }
});
const forwarded = () => services.flatMap((service) => portal.gateway[service].seen);

/** What the gateway signed, read without the secret: the signature is the platform's own test. */
function contextOf(service: (typeof services)[number]): CallerContext {
  const token = String(portal.gateway[service].seen.at(-1)?.headers['x-caller-context']);
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as CallerContext;
}

const calls = [
  ['GET', '/categories', 'offers', '2000'],
  ['GET', '/interests', 'offers', '2000'],
  ['POST', '/offers/price-estimate', 'pricing', '2000'],
  ['POST', '/offers', 'offers', '25000'],
  ['POST', '/offers/17/pause', 'offers', '2000'],
  ['POST', '/offers/17/resume', 'offers', '2000'],
  ['GET', '/offers/17/analytics?interval=7d', 'offers', '2000'],
  ['DELETE', '/offers/17', 'offers', '10000'],
] as const;

/** What the public API does not have, or tells less of; offers has it under a path of its own. */
const ofThePortal = [
  ['GET', '/offers?environment=test&limit=5'],
  ['GET', '/creations/order-17'],
  ['GET', '/offers/17'],
  ['GET', '/offers/17/credit'],
  ['GET', '/offers/17/analytics/series?interval=7d'],
] as const;

describe.each(['TEST', 'LIVE'] as const)('in %s mode', (mode) => {
  const below = (path: string) => `/portal/api/${mode.toLowerCase()}${path}`;

  it.each(ofThePortal)('%s %s reaches what offers has for the portal', async (method, path) => {
    const reply = await marketer.call(below(path), { method });
    expect([reply.status, reply.body]).toEqual([200, { return_code: 'S1' }]);
    expect(portal.gateway.offers.seen).toMatchObject([{ method, url: `/portal${path}` }]);
    expect(portal.gateway.offers.seen[0]?.headers['x-request-budget-ms']).toBe('2000');
    expect(contextOf('offers')).toMatchObject({ audience: 'offers', mode, organisationId });
  });

  it.each(calls)(
    '%s %s reaches %s as the public API would, with its budget',
    async (method, path, service, budget) => {
      const reply = await marketer.call(below(path), { method });
      expect([reply.status, reply.body]).toEqual([200, { return_code: 'S1' }]);
      expect(portal.gateway[service].seen).toMatchObject([{ method, url: path }]);
      expect(portal.gateway[service].seen[0]?.headers['x-request-budget-ms']).toBe(budget);
      expect(contextOf(service)).toMatchObject({ audience: service, mode, organisationId });
    },
  );

  it('a developer reaches none of it', async () => {
    for (const [method, path] of [...calls, ...ofThePortal]) {
      expect([path, (await developer.call(below(path), { method })).status]).toEqual([path, 403]);
    }
    expect(forwarded()).toEqual([]);
  });
});

describe('made up traffic', () => {
  const simulate = (mode: string) =>
    marketer.call(`/portal/api/${mode}/offers/17/simulated-traffic`, {
      method: 'POST',
      json: { views: 5, clicks: 1 },
    });

  it('reaches offers in TEST mode, and is no path at all in LIVE mode', async () => {
    expect((await simulate('test')).status).toBe(200);
    expect(portal.gateway.offers.seen).toMatchObject([{ url: '/portal/offers/17/simulated-traffic' }]);
    expect(contextOf('offers').mode).toBe('TEST');
    const live = await simulate('live');
    expect([live.status, live.body]).toEqual([404, { message: 'Not found' }]);
    expect(forwarded()).toHaveLength(1);
  });

  it('is refused to an API key, for which the path does not exist, like all that only the portal has', async () => {
    const { key } = await portal.gateway.createKey(organisationId);
    for (const path of [
      '/creations/order-17',
      '/offers/17',
      '/offers/17/credit',
      '/portal/offers',
      '/portal/offers/17',
    ]) {
      expect([path, (await portal.gateway.call(path, { key })).status]).toEqual([path, 404]);
    }
    for (const path of ['/offers/17/simulated-traffic', '/portal/offers/17/simulated-traffic']) {
      expect([path, (await portal.gateway.call(path, { key, method: 'POST' })).status]).toEqual([path, 404]);
    }
    expect(forwarded()).toEqual([]);
  });
});

describe('the services are told', () => {
  it('who is signed in, without a key, and how the organisation stands at this very moment', async () => {
    await admin.call('/portal/api/test/categories');
    const before = contextOf('offers');
    expect(before).toMatchObject({
      keyId: null,
      currency: 'GBP',
      country: 'GB',
      tradingName: 'Corner Cafe',
      quota: { perPerson: 100, perOrganisation: 500 },
      termsAccepted: false,
    });
    await portal.gateway.admin('POST', `/organisations/${organisationId}/quota`, {
      mode: 'TEST',
      perPerson: 7,
    });
    await portal.gateway.admin('POST', '/terms', { version: '2026-01' });
    await portal.gateway.admin('POST', `/organisations/${organisationId}/accept-terms`);
    await admin.call('/portal/api/test/categories');
    const personId = before.personId;
    expect(contextOf('offers')).toMatchObject({ personId, quota: { perPerson: 7 }, termsAccepted: true });
    await admin.call('/portal/api/live/categories');
    expect(contextOf('offers')).toMatchObject({ personId, quota: { perPerson: 100 } });
    await marketer.call('/portal/api/test/categories');
    expect(contextOf('offers').personId).not.toBe(personId);
  });

  it('of one organisation, mailbox and network by the portal and by a key, which therefore have one budget of estimates', async () => {
    const { key } = await portal.gateway.createKey(organisationId);
    const ip = '198.51.100.9';
    const browser = portal.browser(ip);
    await browser.signIn('ann@cafe.test');
    const estimate = { method: 'POST', body: '{}' };
    await portal.gateway.call('/offers/price-estimate', { ...estimate, key, ip });
    const { mailbox, network } = contextOf('pricing');
    await browser.call('/portal/api/test/offers/price-estimate', estimate);
    expect(contextOf('pricing')).toMatchObject({ keyId: null, organisationId, mailbox, network });
    expect([mailbox, network]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('nothing of the session: no cookie, no CSRF token, no key that was sent along', async () => {
    const { key } = await portal.gateway.createKey(organisationId);
    const headers = { 'x-api-key': key, 'x-caller-context': 'forged', 'idempotency-key': 'k-1' };
    await marketer.call('/portal/api/live/offers', { method: 'POST', json: {}, headers });
    const [seen] = forwarded();
    expect(seen?.headers).toMatchObject({ 'idempotency-key': 'k-1', 'content-type': 'application/json' });
    expect(Object.keys(seen?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/cookie|csrf|api-key/)]),
    );
    expect(contextOf('offers')).toMatchObject({ mode: 'LIVE', keyId: null });
  });
});

describe('a request', () => {
  it('of nobody who is signed in is 401, and of a page without the CSRF token 403', async () => {
    const stranger = await portal.browser().call('/portal/api/test/offers');
    expect([stranger.status, stranger.body]).toEqual([401, { message: 'Sign in first' }]);
    for (const [method, path] of calls.filter(([method]) => method !== 'GET')) {
      const headers = { 'x-csrf-token': '' };
      const reply = await marketer.call(`/portal/api/test${path}`, { method, headers });
      expect([path, reply.status]).toEqual([path, 403]);
    }
    expect(forwarded()).toEqual([]);
  });

  it('that uploads arrives byte for byte while it is sent, whatever the size of other bodies may be', async () => {
    const body = Buffer.alloc(3_000_000, 'offer');
    const reply = await portal.gateway.call('/portal/api/test/offers', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'multipart/form-data; boundary=b',
        cookie: marketer.cookie ?? '',
        'x-csrf-token': marketer.csrfToken ?? '',
      },
    });
    expect(reply.status).toBe(200);
    expect(portal.gateway.offers.seen[0]?.body.equals(body)).toBe(true);
    expect(portal.gateway.offers.seen[0]?.headers).toMatchObject({
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '3000000',
    });
  });

  it('that creates may take longer than the portal grants its own calls', async () => {
    portal.gateway.offers.respond = (req, res) => {
      req.resume().once('end', () => setTimeout(() => res.end('{}'), 2_500));
    };
    expect((await marketer.call('/portal/api/test/offers', { method: 'POST', json: {} })).status).toBe(200);
  });

  it('is answered as the service answers, with the status, the headers and the code', async () => {
    const refusal = { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' };
    portal.gateway.offers.respond = answerJson(() => ({
      status: 401,
      body: refusal,
      headers: { 'idempotent-replayed': 'true' },
    }));
    const reply = await marketer.call('/portal/api/test/offers/17', { method: 'DELETE' });
    expect([reply.status, reply.body]).toEqual([401, refusal]);
    expect(reply.headers.get('idempotent-replayed')).toBe('true');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('is 503 with Retry-After when the service breaks off', async () => {
    portal.gateway.offers.respond = (req) => req.socket.destroy();
    const reply = await admin.call('/portal/api/test/interests', { once: true });
    expect([reply.status, reply.body]).toEqual([503, { message: 'Service unavailable' }]);
    expect(reply.headers.get('retry-after')).not.toBeNull();
  });

  it('is 404 for what there is not', async () => {
    for (const path of ['/offers/17/image', '/internal/balance', '/../internal/balance', '/balance/x']) {
      expect([path, (await admin.call(`/portal/api/test${path}`)).status]).toEqual([path, 404]);
    }
    expect((await admin.call('/portal/api/staging/offers')).status).toBe(404);
    expect(forwarded()).toEqual([]);
  });
});

describe('an API client of the same address', () => {
  it('keeps its 60 a minute, however much is asked in the portal, and the call log tells of it alone', async () => {
    const ip = '203.0.113.60';
    const browser = portal.browser(ip);
    await browser.signIn('mia@cafe.test');
    for (let drags = 0; drags < 70; drags += 1) {
      const reply = await browser.call('/portal/api/test/offers/price-estimate', {
        method: 'POST',
        json: {},
      });
      expect(reply.status).toBe(200);
    }
    const { id, key } = await portal.gateway.createKey(organisationId);
    await browser.call('/portal/api/test/interests', { headers: { 'x-api-key': key } });
    const reply = await portal.gateway.call('/categories', { key, ip });
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('59');
    expect(portal.gateway.pricing.seen).toHaveLength(70);
    await eventually(async () => {
      const { rows } = await portal.database.query('SELECT route FROM calls WHERE key_id = $1', [id]);
      expect(rows).toEqual([{ route: 'GET /categories' }]);
    });
  });
});
