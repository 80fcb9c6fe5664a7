/** Billing under a session: what it is asked, with which budget, and that its replies pass as they are, bytes and all. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { answerJson, type FakeUpstream } from '../forwarding/fake-upstream.ts';
import { type Browser, type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

let portal: PortalUnderTest;
let organisationId: number;
let admin: Browser;
beforeAll(async () => {
  portal = await startPortalUnderTest();
  organisationId = await portal.organisationOf('ann@cafe.test', 'Corner Cafe');
  admin = portal.browser();
  await admin.signIn('ann@cafe.test');
});
afterAll(async () => portal[Symbol.asyncDispose]());

beforeEach(() => {
  const { billing } = portal.gateway;
  billing.seen.length = 0;
  billing.respond = answerJson((seen) => {
    billing.seen.push(seen);
    return { status: 200, body: { from: 'billing' } };
  });
});

/** What the gateway signed, read without the secret: the signature is the platform's own test. */
function toldContext(): CallerContext {
  const token = String(portal.gateway.billing.seen.at(-1)?.headers['x-caller-context']);
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as CallerContext;
}

const calls = [
  ['GET', '/balance', '/internal/balance', '2000', null],
  [
    'GET',
    '/billing/statement?from=2026-01-01T00%3A00Z&limit=5',
    '/internal/statement?from=2026-01-01T00%3A00Z&limit=5',
    '2000',
    null,
  ],
  ['GET', '/billing/low-balance-threshold', '/internal/low-balance-threshold', '2000', null],
  [
    'PUT',
    '/billing/low-balance-threshold',
    '/internal/low-balance-threshold',
    '2000',
    { thresholdMinor: '500' },
  ],
  ['POST', '/billing/top-ups', '/internal/top-ups', '10000', { amountMinor: '1000' }],
  ['GET', '/billing/invoices?cursor=INV-000007', '/internal/invoices?cursor=INV-000007', '2000', null],
  ['GET', '/billing/invoices/INV-000007.html', '/internal/invoices/INV-000007.html', '6000', null],
  ['GET', '/billing/invoices/INV-000007.pdf', '/internal/invoices/INV-000007.pdf', '6000', null],
] as const;

describe('play money', () => {
  const add = (mode: string) =>
    admin.call(`/portal/api/${mode}/billing/play-money`, {
      method: 'POST',
      json: { amountMinor: '1000' },
      headers: { 'idempotency-key': 'k-1' },
    });

  it('is asked of billing in TEST mode, and is no path at all in LIVE mode', async () => {
    expect((await add('test')).status).toBe(200);
    expect(portal.gateway.billing.seen).toMatchObject([
      { method: 'POST', url: '/internal/play-money', headers: { 'idempotency-key': 'k-1' } },
    ]);
    expect(toldContext()).toMatchObject({ mode: 'TEST', organisationId });
    const live = await add('live');
    expect([live.status, live.body]).toEqual([404, { message: 'Not found' }]);
    expect(portal.gateway.billing.seen).toHaveLength(1);
  });
});

describe.each(['TEST', 'LIVE'] as const)('in %s mode', (mode) => {
  it.each(calls)('%s %s is asked of billing at %s within %s ms', async (method, path, url, budget, json) => {
    const headers = { 'idempotency-key': 'k-1' };
    const reply = await admin.call(`/portal/api/${mode.toLowerCase()}${path}`, {
      method,
      headers,
      ...(json !== null && { json }),
    });
    expect([reply.status, reply.body]).toEqual([200, { from: 'billing' }]);
    const [seen, ...more] = portal.gateway.billing.seen;
    expect(more).toEqual([]);
    expect(seen).toMatchObject({ method, url });
    expect(seen?.headers).toMatchObject({ 'x-request-budget-ms': budget, 'idempotency-key': 'k-1' });
    expect(seen?.body.toString()).toBe(json === null ? '' : JSON.stringify(json));
    expect(toldContext()).toMatchObject({
      audience: 'billing',
      mode,
      organisationId,
      currency: 'GBP',
      country: 'GB',
    });
  });
});

describe('a reply', () => {
  it('that is a document passes byte for byte, with what billing says about it', async () => {
    const pdf = randomBytes(200_000);
    const headers = {
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="INV-000007.pdf"',
      'content-security-policy': "default-src 'none'",
    };
    portal.gateway.billing.respond = (_req, res) => {
      res.writeHead(200, headers);
      res.write(pdf.subarray(0, 1_000));
      setImmediate(() => res.end(pdf.subarray(1_000)));
    };
    const reply = await eventually(async () => {
      const reply = await fetch(`${portal.gateway.url}/portal/api/live/billing/invoices/INV-000007.pdf`, {
        headers: { cookie: admin.cookie ?? '' },
      });
      expect(reply.status).toBe(200);
      return reply;
    });
    for (const [name, value] of Object.entries(headers)) expect(reply.headers.get(name)).toBe(value);
    expect(reply.headers.get('cache-control')).toContain('no-store');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await reply.arrayBuffer()).equals(pdf)).toBe(true);
  });

  it('that refuses passes with its status and its words', async () => {
    const refusal = {
      status: 422,
      body: { message: 'This Idempotency-Key was used with a different payload' },
    };
    portal.gateway.billing.respond = answerJson(() => refusal);
    const reply = await admin.call('/portal/api/test/billing/top-ups', { method: 'POST', json: {} });
    expect([reply.status, reply.body]).toEqual([refusal.status, refusal.body]);
  });

  it('that never comes or breaks off is a 503 with Retry-After', async () => {
    const faults: FakeUpstream['respond'][] = [
      () => {},
      (_req, res) => {
        res.writeHead(200, { 'content-length': '100' });
        res.write('{');
        setImmediate(() => res.destroy());
      },
    ];
    for (const fault of faults) {
      portal.gateway.billing.respond = fault;
      const reply = await admin.call('/portal/api/test/billing/statement', { once: true });
      expect([reply.status, reply.body]).toEqual([503, { message: 'Service unavailable' }]);
      expect(reply.headers.get('retry-after')).not.toBeNull();
    }
  });
});

describe('a request', () => {
  it('that changes something needs the CSRF token, and JSON for a body', async () => {
    for (const [method, path] of calls.filter(([method]) => method !== 'GET')) {
      const address = `/portal/api/test${path}`;
      const forged = await admin.call(address, { method, json: {}, headers: { 'x-csrf-token': '' } });
      expect([path, forged.status]).toEqual([path, 403]);
      const form = await admin.call(address, { method, json: {}, headers: { 'content-type': 'text/plain' } });
      expect([path, form.status]).toEqual([path, 415]);
    }
    expect(portal.gateway.billing.seen).toEqual([]);
  });

  it('reaches nothing of billing but these routes', async () => {
    for (const path of [
      '/billing',
      '/billing/charges',
      '/billing/balance',
      '/billing/offers/17/settle',
      '/billing/invoices/a/b',
      '/billing/../internal/charges',
      '/charges',
    ]) {
      expect([path, (await admin.call(`/portal/api/test${path}`)).status]).toEqual([path, 404]);
    }
    const charge = await admin.call('/portal/api/test/billing/statement', { method: 'POST', json: {} });
    expect(charge.status).toBe(404);
    expect(portal.gateway.billing.seen).toEqual([]);
  });
});
