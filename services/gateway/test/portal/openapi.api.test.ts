/** The portal's OpenAPI document is true: every route is in it, nothing else is, and replies are as it says. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Router } from 'express';
import { type PortalRoutes, portalRoutes } from '../../src/http/portal/portal-routes.ts';
import { answerJson } from '../forwarding/fake-upstream.ts';
import { describedRoutes, misfitsOf } from './description.ts';
import { type Browser, type PortalUnderTest, publicUrl, startPortalUnderTest } from './portal-under-test.ts';

type Layer = {
  readonly route?: { readonly path: string; readonly stack: readonly { readonly method: string }[] };
  readonly handle: Partial<Router>;
  readonly match: (path: string) => boolean;
};

/** Express keeps no text of where a router is mounted, so the places that there are get tried. */
const prefixes = ['', '/test', '/live'];

function mountedRoutes(router: Partial<Router>, prefix = ''): string[] {
  return (router.stack as unknown as Layer[]).flatMap((layer) => {
    if (layer.route !== undefined) {
      const path = `${prefix}${layer.route.path.replace(/:(\w+)/g, '{$1}')}`;
      return Array.from(new Set(layer.route.stack.map(({ method }) => `${method} ${path}`)));
    }
    if (layer.handle.stack === undefined) return [];
    const mountedAt = prefixes.filter((place) => layer.match(`${place}/x`));
    // The root matches everything.
    const place = mountedAt.length === prefixes.length ? '' : mountedAt[0];
    if (place === undefined) throw new Error('a router is mounted where this test does not look');
    return mountedRoutes(layer.handle, `${prefix}${place}`);
  });
}

describe('the document', () => {
  it('describes every route that is mounted, and none that is not', () => {
    // Nothing of it is called: routes are only put together.
    const mounted = mountedRoutes(portalRoutes({ publicUrl } as PortalRoutes));
    expect(mounted.length).toBeGreaterThan(20);
    expect(mounted.toSorted()).toEqual(describedRoutes().toSorted());
  });
});

describe('real replies', () => {
  let portal: PortalUnderTest;
  let admin: Browser;
  beforeAll(async () => {
    portal = await startPortalUnderTest();
    const organisationId = await portal.organisationOf('ann@cafe.test', 'Corner Cafe');
    await portal.gateway.admin('POST', '/terms', { version: '2026-01', text: 'Be kind.' });
    const dev = { email: 'dev@cafe.test', role: 'developer' };
    await portal.gateway.admin('POST', `/organisations/${organisationId}/people`, dev);
    const balance = { mode: 'TEST', currency: 'GBP', balanceMinor: '1200' };
    portal.gateway.billing.respond = answerJson(() => ({ status: 200, body: balance }));
    const categories = { categories: [{ category_id: 1, category_name: 'Food' }] };
    portal.gateway.offers.respond = answerJson(() => ({ status: 200, body: categories }));
    admin = portal.browser();
  });
  afterAll(async () => portal[Symbol.asyncDispose]());

  /** `path` as the document writes it; `{id}` and `{mode}` are filled in for the request. */
  async function expectAsDescribed(
    browser: Browser,
    status: number,
    method: string,
    path: string,
    o: { json?: unknown; id?: number | string; query?: string; headers?: Record<string, string> } = {},
  ): Promise<unknown> {
    const { id = 999_999, query = '', ...call } = o;
    const address = path
      .replace('{id}', `${id}`)
      .replace('{mode}', 'test')
      .replace('{offer_id}', '17')
      .replace('{file}', 'TEST-000001.pdf');
    const once = status === 503;
    const reply = await browser.call(`/portal/api${address}${query}`, { method, once, ...call });
    expect([method, path, reply.status, reply.body]).toEqual([method, path, status, reply.body]);
    expect([method, path, status, ...misfitsOf(method, path, reply)]).toEqual([method, path, status]);
    return reply.body;
  }

  it('of signing in and of sessions are as described', async () => {
    await expectAsDescribed(admin, 202, 'POST', '/sign-in', { json: { email: 'ann@cafe.test' } });
    await expectAsDescribed(admin, 400, 'POST', '/sign-in', { json: { email: 'nobody' } });
    await expectAsDescribed(admin, 403, 'POST', '/sign-in', {
      json: {},
      headers: { origin: 'https://evil.test' },
    });
    await expectAsDescribed(admin, 415, 'POST', '/sign-in', {
      json: {},
      headers: { 'content-type': 'text/plain' },
    });
    await expectAsDescribed(admin, 413, 'POST', '/sign-in', { json: { email: 'x'.repeat(20_000) } });
    await expectAsDescribed(admin, 401, 'GET', '/session');
    await expectAsDescribed(admin, 401, 'POST', '/sign-in/complete', { json: { token: 'x'.repeat(43) } });
    const token = await portal.nextToken('ann@cafe.test');
    await expectAsDescribed(admin, 200, 'POST', '/sign-in/complete', { json: { token } });
    await expectAsDescribed(admin, 200, 'GET', '/session');
    await expectAsDescribed(admin, 200, 'GET', '/sessions');
    await expectAsDescribed(admin, 404, 'POST', '/session/organisation', {
      json: { organisationId: 999_999 },
    });
    await expectAsDescribed(admin, 404, 'DELETE', '/sessions/{id}');
  });

  it('of signing up are as described', async () => {
    const wish = {
      name: 'Tea Ltd',
      tradingName: 'Tea',
      country: 'GB',
      currency: 'GBP',
      email: 'tea@new.test',
    };
    await expectAsDescribed(admin, 200, 'GET', '/sign-up');
    await expectAsDescribed(admin, 202, 'POST', '/sign-up', { json: wish });
    await expectAsDescribed(admin, 400, 'POST', '/sign-up', { json: { ...wish, currency: 'JPY' } });
    const headers = { origin: 'https://evil.test' };
    await expectAsDescribed(admin, 403, 'POST', '/sign-up', { json: wish, headers });
    await expectAsDescribed(admin, 401, 'POST', '/sign-up/complete', { json: { token: 'x'.repeat(43) } });
    const mail = await eventually(() => {
      const [mail] = portal.signUpMailsTo('tea@new.test');
      if (mail === undefined) throw new Error('no mail');
      return mail;
    });
    const token = new URL(mail.data.url).hash.slice(1);
    await expectAsDescribed(portal.browser(), 200, 'POST', '/sign-up/complete', { json: { token } });
  });

  it('of an organisation that administers itself are as described', async () => {
    await expectAsDescribed(admin, 200, 'GET', '/organisation');
    await expectAsDescribed(admin, 200, 'PATCH', '/organisation', { json: { tradingName: 'The Corner' } });
    await expectAsDescribed(admin, 400, 'PATCH', '/organisation', { json: { tradingName: '' } });
    await expectAsDescribed(admin, 200, 'GET', '/people');
    const mia = { email: 'mia@cafe.test', role: 'marketer' };
    const { id } = (await expectAsDescribed(admin, 201, 'POST', '/people', { json: mia })) as { id: number };
    await expectAsDescribed(admin, 409, 'POST', '/people', { json: mia });
    await expectAsDescribed(admin, 200, 'POST', '/people/{id}/invitation', { id });
    await expectAsDescribed(admin, 200, 'PATCH', '/people/{id}', { id, json: { enabled: false } });
    await expectAsDescribed(admin, 404, 'PATCH', '/people/{id}', { json: { enabled: false } });
    await expectAsDescribed(admin, 200, 'GET', '/terms');
    await expectAsDescribed(admin, 200, 'POST', '/terms/acceptance', { json: { version: '2026-01' } });
    await expectAsDescribed(admin, 409, 'POST', '/terms/acceptance', { json: { version: '2025-01' } });
  });

  it('of keys, calls and offers are as described', async () => {
    const wish = { mode: 'TEST', name: 'Till' };
    const made = (await expectAsDescribed(admin, 201, 'POST', '/keys', { json: wish })) as {
      id: number;
      key: string;
    };
    await portal.gateway.call('/categories', { key: made.key });
    const rolled = (await expectAsDescribed(admin, 200, 'POST', '/keys/{id}/roll', { id: made.id })) as {
      id: number;
    };
    await expectAsDescribed(admin, 409, 'POST', '/keys/{id}/roll', { id: made.id });
    await expectAsDescribed(admin, 200, 'POST', '/keys/{id}/disable', { id: rolled.id });
    await expectAsDescribed(admin, 404, 'POST', '/keys/{id}/disable');
    await expectAsDescribed(admin, 200, 'GET', '/keys');
    await expectAsDescribed(admin, 200, 'GET', '/calls');
    await expectAsDescribed(admin, 400, 'GET', '/calls', { query: '?status=teapot' });
    await expectAsDescribed(admin, 200, 'GET', '/{mode}/categories');
    portal.gateway.offers.respond = (req) => req.socket.destroy();
    await expectAsDescribed(admin, 503, 'GET', '/{mode}/interests');
  });

  it('of billing are as described', async () => {
    const balance = { mode: 'TEST', currency: 'GBP', balanceMinor: '1200' };
    const line = {
      bookedAt: '2026-06-01T12:00:00.000Z',
      offerId: null,
      title: null,
      cause: 'top-up 17',
      card: null,
    };
    const replies: Record<string, object> = {
      balance,
      statement: {
        mode: 'TEST',
        currency: 'GBP',
        openingBalanceMinor: '0',
        closingBalanceMinor: '1200',
        entries: [{ ...line, kind: 'platform-top-up', amountMinor: '1200', balanceMinor: '1200' }],
        nextCursor: null,
      },
      'low-balance-threshold': { ...balance, thresholdMinor: '2000', isLow: true },
      'top-ups': {
        topUpId: 3,
        paymentUrl: 'https://ads.example/pay/x',
        currency: 'GBP',
        netMinor: '1000',
        vatMinor: '200',
        expiresAt: '2026-06-02T12:00:00.000Z',
      },
      'play-money': { ...balance, amountMinor: '1000' },
      invoices: { mode: 'TEST', invoices: [], nextCursor: null },
    };
    let status = 200;
    portal.gateway.billing.respond = answerJson(({ url }) => {
      const body = status === 200 ? replies[url.replace('/internal/', '')] : { message: 'It does not fit' };
      return { status: body === undefined ? 404 : status, body: body ?? { message: 'Not found' } };
    });
    const threshold = { json: { thresholdMinor: '2000' } };
    const topUp = { json: { amountMinor: '1000' }, headers: { 'idempotency-key': 'k-1' } };
    await expectAsDescribed(admin, 200, 'GET', '/{mode}/balance');
    await expectAsDescribed(admin, 200, 'GET', '/{mode}/billing/statement');
    await expectAsDescribed(admin, 200, 'GET', '/{mode}/billing/low-balance-threshold');
    await expectAsDescribed(admin, 200, 'PUT', '/{mode}/billing/low-balance-threshold', threshold);
    await expectAsDescribed(admin, 200, 'POST', '/{mode}/billing/top-ups', topUp);
    await expectAsDescribed(admin, 200, 'POST', '/test/billing/play-money', topUp);
    await expectAsDescribed(admin, 200, 'GET', '/{mode}/billing/invoices');
    await expectAsDescribed(admin, 404, 'GET', '/{mode}/billing/invoices/{file}');
    status = 400;
    await expectAsDescribed(admin, 400, 'GET', '/{mode}/billing/statement', { query: '?cursor=x' });
    await expectAsDescribed(admin, 400, 'PUT', '/{mode}/billing/low-balance-threshold', threshold);
    const text = { headers: { 'content-type': 'text/plain' }, json: {} };
    await expectAsDescribed(admin, 415, 'PUT', '/{mode}/billing/low-balance-threshold', text);
    await expectAsDescribed(admin, 403, 'POST', '/{mode}/billing/top-ups', {
      ...topUp,
      headers: { 'x-csrf-token': '' },
    });
    portal.gateway.billing.respond = (req) => req.socket.destroy();
    await expectAsDescribed(admin, 503, 'GET', '/{mode}/billing/statement');
  });

  it('of mails are as described', async () => {
    const preferences = { offerEnded: false, balanceLow: true };
    let status = 200;
    portal.gateway.notifier.respond = answerJson(() => ({
      status,
      body: status === 200 ? preferences : { message: 'offerEnded: must be true or false' },
    }));
    await expectAsDescribed(admin, 200, 'GET', '/mail-preferences');
    await expectAsDescribed(admin, 200, 'PUT', '/mail-preferences', { json: preferences });
    status = 400;
    await expectAsDescribed(admin, 400, 'PUT', '/mail-preferences', { json: {} });
    const text = { headers: { 'content-type': 'text/plain' }, json: {} };
    await expectAsDescribed(admin, 415, 'PUT', '/mail-preferences', text);
    const headers = { 'x-csrf-token': '' };
    await expectAsDescribed(admin, 403, 'PUT', '/mail-preferences', { json: preferences, headers });
    portal.gateway.notifier.respond = (req) => req.socket.destroy();
    await expectAsDescribed(admin, 503, 'GET', '/mail-preferences');
  });

  it('to a role that may not, and to a page without the CSRF token, are as described', async () => {
    const developer = portal.browser();
    await developer.signIn('dev@cafe.test');
    for (const path of [
      '/people',
      '/{mode}/balance',
      '/{mode}/offers',
      '/{mode}/offers/{offer_id}/analytics',
    ])
      await expectAsDescribed(developer, 403, 'GET', path);
    const headers = { 'x-csrf-token': '' };
    await expectAsDescribed(admin, 403, 'POST', '/keys', { json: {}, headers });
    await expectAsDescribed(admin, 403, 'DELETE', '/{mode}/offers/{offer_id}', { headers });
    await expectAsDescribed(admin, 403, 'POST', '/sign-out', { headers });
  });

  it('of signing out are as described', async () => {
    await expectAsDescribed(admin, 204, 'POST', '/sign-out-everywhere');
    await expectAsDescribed(admin, 401, 'POST', '/sign-out');
  });
});
