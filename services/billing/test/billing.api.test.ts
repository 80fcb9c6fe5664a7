/** The whole service with its broker, and what its routes have in common. */

import { createHash, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { BalanceCredited, OfferPaid } from '@offer-ads/contracts/events/billing';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { OfferDeleted } from '@offer-ads/contracts/events/offers';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { connectBroker, on, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminRoutesAtPublicPort } from '@offer-ads/testing/admin';
import { signedCaller } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startBilling } from '../src/service.ts';
import { callsTo, configFor, useBilling } from './billing-under-test.ts';

const test = useBilling();

function deliverTo(url: string): void {
  test.webhooks.deliver = async ({ body, signature }) => {
    const headers = { 'stripe-signature': signature };
    const sent = { method: 'POST', headers, body: new Uint8Array(body) };
    return (await fetch(`${url}/webhooks/stripe`, sent)).ok;
  };
}

const sale = { title: 'Two for one', netMinor: '1000' };
const orderOf = (offerId: number) => ({ ...sale, offerId, offerExpiryAt: '2099-01-01T00:00:00.000Z' });

describe('the service', () => {
  const resources = new AsyncDisposableStack();
  afterAll(async () => {
    deliverTo(test.url);
    await resources.disposeAsync();
  });

  async function started() {
    const { url: rabbitmqUrl, namespace, dispose } = testNamespace();
    resources.defer(dispose);
    const overrides = { clock: test.clock, logger: silentLogger, brokerNamespace: namespace };
    const service = resources.use(
      await startWhenStoresServe(() => startBilling(configFor(test, rabbitmqUrl), overrides)),
    );
    return { rabbitmqUrl, namespace, service };
  }

  it('closes the page of an offer that has ended unpaid within seconds', async () => {
    await started();
    const offer = await test.openOffer({ offerExpiryAt: new Date(test.clock.now().getTime() + 5_000) });
    test.clock.advance(5_000);
    await eventually(async () => expect((await test.checkout(offer)).state).toBe('closed'));
    expect(await test.pay(offer.sessionId)).toBe(false);
  });

  it('publishes a payment that a webhook reports, and credits a deletion that offers publishes', async () => {
    const { rabbitmqUrl, namespace, service } = await started();
    const join = async (name: ServiceName, subscription: Subscription, emits: EventDeclaration[] = []) => {
      const declarations = [subscription.declaration, ...emits];
      const options = { url: rabbitmqUrl, namespace, service: name, declarations, logger: silentLogger };
      const broker = resources.use(await connectBroker({ ...options, metrics: createMetrics(name) }));
      await broker.consume([subscription]);
      return broker;
    };
    const [paid, credited]: [number[], number[]] = [[], []];
    const offers = await join(
      'offers',
      on(OfferPaid, async ({ data }) => void paid.push(data.offerId)),
      [OfferDeleted],
    );
    await join(
      'notifier',
      on(BalanceCredited, async ({ data }) => void credited.push(data.offerId)),
    );
    deliverTo(service.url);

    const { as, visit, admin } = callsTo(service);
    const routes = ['/admin/ledger/check', '/admin/invoices', '/admin/parked'];
    expect(await adminRoutesAtPublicPort(service, ...routes)).toEqual([]);
    const { organisationId } = test.newBook();
    const offerId = test.newOfferId();
    const opened = await as({ organisationId }, 'POST', '/checkouts', orderOf(offerId));
    expect(opened.body).toMatchObject({ outcome: 'opened', netMinor: '1000', vatMinor: '200' });
    const { paymentUrl } = opened.body as { paymentUrl: string };
    const page = await visit(new URL(paymentUrl).pathname);
    await test.pay(page.headers.get('location')?.split('/').pop() ?? '');
    await eventually(() => expect(paid).toContain(offerId));

    const at = test.clock.now();
    const times = { startAt: at.toISOString(), expiryAt: at.toISOString(), deletedAt: at.toISOString() };
    const unused = { unusedMs: 500, scheduledMs: 1_000, paid: true };
    const data = { offerId, organisationId, mode: 'TEST', title: sale.title, ...times, ...unused } as const;
    const subject = `offer/${offerId}`;
    await offers.publish([newEvent(OfferDeleted, { subject, subjectVersion: 9, at, data })]);
    await eventually(() => expect(credited).toContain(offerId));
    expect(await as({ organisationId }, 'GET', '/balance')).toMatchObject({ body: { balanceMinor: '500' } });
    expect(await admin('GET', '/ledger/check')).toMatchObject({ body: { ok: true, problems: [] } });
  });
});

describe('a route', () => {
  it.each([
    ['GET', '/balance'],
    ['GET', '/balance/entries'],
    ['GET', '/internal/balance'],
    ['GET', '/internal/statement'],
    ['GET', '/internal/statement.csv'],
    ['GET', '/internal/low-balance-threshold'],
    ['GET', '/internal/invoices'],
    ['GET', '/internal/invoices/TEST-000001.pdf'],
    ['POST', '/internal/charges'],
    ['POST', '/internal/checkouts'],
    ['POST', '/internal/top-ups'],
    ['POST', '/internal/play-money'],
    ['GET', '/admin/ledger/check'],
    ['GET', '/admin/balances/statement'],
    ['GET', '/admin/balances/revenue'],
    ['PUT', '/admin/balances/threshold'],
    ['GET', '/admin/card-problems'],
    ['GET', '/admin/invoices'],
    ['GET', '/admin/invoices/TEST-000001.pdf'],
    ['GET', '/admin/payments'],
  ])('answers 401 without a credential of its own: %s %s', async (method, path) => {
    const json = method === 'GET' ? undefined : {};
    const unauthorised = { status: 401, body: { message: 'Unauthorised' } };
    expect(await test.call(method, path, {}, json)).toMatchObject(unauthorised);
    const ofAnother = !path.startsWith('/admin')
      ? signedCaller({ audience: 'offers' })
      : { authorization: 'Bearer nobody-has-this-token-0123456789012345' };
    expect((await test.call(method, path, ofAnother, json)).status).toBe(401);
  });

  it.each([
    ['POST', '/charges', {}, 'offerId: '],
    ['POST', '/charges', { ...sale, offerId: 1, netMinor: '-5' }, 'netMinor: must not be negative'],
    ['POST', '/charges', { ...sale, offerId: 'x' }, 'offerId: '],
    ...[0, 2 ** 31 - 1, 2 ** 53 - 1].flatMap((deletion) => [
      ['POST', '/offers/1/close-checkout', { deletion }, 'deletion: '] as const,
      ['POST', '/offers/1/keep-checkout', { deletion }, 'deletion: '] as const,
    ]),
    ['GET', '/statement?from=yesterday', undefined, 'from: '],
    ['GET', '/statement?to=2026-01-01T00:00:00', undefined, 'to: '],
    ['GET', '/statement?from=2026-01-02T00:00Z&to=2026-01-02T00:00Z', undefined, 'to: must be after from'],
    ['GET', '/statement?kinds=offer-charge,tea', undefined, 'kinds'],
    ['GET', '/statement?limit=0', undefined, 'limit: '],
    ['GET', '/statement?limit=201', undefined, 'limit: '],
    ['GET', '/statement?cursor=x', undefined, 'cursor: must be the nextCursor of a page before'],
    ['GET', '/invoices?limit=0', undefined, 'limit: '],
    ['GET', '/invoices?limit=201', undefined, 'limit: '],
    ['GET', '/invoices?cursor=x', undefined, 'cursor: '],
    ['GET', '/invoices?cursor=INV-000001', undefined, 'cursor: must be the nextCursor of a page before'],
  ] as const)('refuses what does not fit its contract: %s %s %j', async (method, path, json, message) => {
    const refusal = { status: 400, body: { message: expect.stringContaining(message) } };
    expect(await test.as({}, method, path, json)).toMatchObject(refusal);
  });

  it('answers 503 and changes nothing when its deadline has passed', async () => {
    const book = test.newBook();
    await test.topUp(book, 15_00n);
    const { offerId } = await test.openOffer({ book });
    const order = orderOf(test.newOfferId());
    const late = { ...signedCaller({ audience: 'billing', ...book }), 'x-request-budget-ms': '0' };
    const headers = { ...late, 'idempotency-key': randomUUID(), 'content-type': 'application/json' };
    for (const [method, path, json] of [
      ['POST', '/charges', order],
      ['POST', '/checkouts', order],
      ['POST', `/offers/${offerId}/close-checkout`, { deletion: 1 }],
      ['POST', '/top-ups', { amountMinor: '1000' }],
      ['POST', '/play-money', { amountMinor: '1000' }],
      ['PUT', '/low-balance-threshold', { thresholdMinor: '1000' }],
    ] as const) {
      const sent = { method, headers, body: JSON.stringify(json) };
      expect([path, (await fetch(`${test.url}/internal${path}`, sent)).status]).toEqual([path, 503]);
    }
    const { body } = await test.as(book, 'GET', '/low-balance-threshold');
    expect(body).toMatchObject({ balanceMinor: '1500', thresholdMinor: null });
    expect((await test.checkout({ offerId })).state).toBe('open');
    const resolved = await test.as(book, 'POST', `/offers/${order.offerId}/resolve-charge`);
    expect(resolved.body).toEqual({ outcome: 'closed' });
  });
});

describe('the routes for offers', () => {
  it('charge the caller’s balance and give what is left', async () => {
    const book = test.newBook();
    await test.topUp(book, 15_00n);
    const charge = { ...sale, offerId: test.newOfferId() };
    const charged = { outcome: 'charged', balanceMinor: '500' };
    expect(await test.as(book, 'POST', '/charges', charge)).toMatchObject({ status: 200, body: charged });
    const balance = { mode: 'TEST', currency: 'GBP', balanceMinor: '500' };
    expect((await test.as(book, 'GET', '/balance')).body).toEqual(balance);
    const unused = { unusedMs: 1, scheduledMs: 4 };
    const preview = await test.as(book, 'POST', `/offers/${charge.offerId}/credit-preview`, unused);
    expect(preview.body).toEqual({ creditMinor: '250', creditedMinor: '0' });
  });

  it('open a checkout with the VAT of the caller’s country, close it, open it again, and find its payment', async () => {
    const book = test.newBook();
    const offerId = test.newOfferId();
    const ask = async (what: string, json?: object) =>
      (await test.as({ ...book, country: 'IE' }, 'POST', what, json)).body;
    const opened = await ask('/checkouts', orderOf(offerId));
    expect(opened).toMatchObject({ outcome: 'opened', netMinor: '1000', vatMinor: '0' });
    const path = new URL((opened as { paymentUrl: string }).paymentUrl).pathname;
    expect(await ask(`/offers/${offerId}/close-checkout`, { deletion: 1 })).toEqual({ outcome: 'closed' });
    expect((await test.visit(path)).status).toBe(410);
    expect(await ask(`/offers/${offerId}/keep-checkout`, { deletion: 1 })).toEqual({ outcome: 'open' });
    const leadsTo = (await test.visit(path)).headers.get('location') ?? '';
    await test.pay(leadsTo.split('/').pop() ?? '');
    await test.untilPaid({ offerId });
    expect(await ask(`/offers/${offerId}/keep-checkout`, { deletion: 1 })).toEqual({ outcome: 'paid' });
    expect(await ask(`/offers/${offerId}/resolve-charge`)).toMatchObject({
      outcome: 'charged',
      paymentMethod: 'E',
    });
  });
});

describe('GET /pay/{token}', () => {
  const unknown = `/pay/${'a'.repeat(32)}`;
  const show = async (path: string) => {
    const page = await test.visit(path);
    return { status: page.status, html: await page.text(), location: page.headers.get('location') };
  };

  it('leads to the open session, and later to a page that says what became of the offer', async () => {
    const [open, ended] = [await test.openOffer(), await test.openOffer()];
    const closed = await test.openOffer();
    await test.close(closed);
    const path = `/pay/${open.payToken}`;
    const redirect = await test.visit(path);
    expect([redirect.status, redirect.headers.get('referrer-policy')]).toEqual([303, 'no-referrer']);
    expect(redirect.headers.get('location')).toContain(`${test.simulatorUrl}/c/pay/cs_test_`);
    await test.pay(open.sessionId);
    await test.untilPaid(open);
    expect(await show(path)).toMatchObject({ status: 200, html: expect.stringContaining('has been paid') });
    const deleted = { status: 410, html: expect.stringContaining('was deleted') };
    expect(await show(`/pay/${closed.payToken}`)).toMatchObject(deleted);
    expect(await show(`/pay/${closed.payToken}/cancelled`)).toMatchObject(deleted);
    test.clock.advance(10 * DAY_MS);
    const over = { status: 410, html: expect.stringContaining('has ended') };
    expect(await show(`/pay/${ended.payToken}`)).toMatchObject(over);
  });

  it('speaks of a top-up where the link is of a top-up', async () => {
    const [topUp, unpaid] = [await test.openTopUp(), await test.openTopUp()];
    const path = `/pay/${topUp.payToken}`;
    expect((await show(path)).status).toBe(303);
    expect((await show(`${path}/cancelled`)).html).toContain('The top-up waits for its payment');
    await test.pay(topUp.sessionId);
    await eventually(async () => expect((await show(path)).status).toBe(200));
    expect((await show(path)).html).toContain('The amount is on the balance of your organisation');
    for (const page of [path, `${path}/thanks`])
      expect((await show(page)).html.replace('Offer Ads', '')).not.toMatch(/offer/i);
    test.clock.advance(7 * DAY_MS);
    const ended = { status: 410, html: expect.stringContaining('This top-up was not paid in time') };
    expect(await show(`/pay/${unpaid.payToken}`)).toMatchObject(ended);
  });

  it('has a page for payers who have paid, and one with the link for those who have not', async () => {
    const path = `/pay/${(await test.openOffer()).payToken}`;
    const thanks = (await show(`${path}/thanks`)).html;
    expect(thanks).toContain('Thank you');
    // What was bought, what the card paid, and the way back.
    expect(thanks).toContain('<dt>Amount</dt><dd>');
    expect(thanks).toMatch(/href="https:\/\/ads\.example\/portal\/test\/offers\/\d+"/);
    const cancelled = (await show(`${path}/cancelled`)).html;
    expect(cancelled).toMatch(/href="https:\/\/ads\.example\/portal\/test\/offers\/\d+"/);
    const link = /href="([^"]+)"/.exec(cancelled)?.[1] ?? '';
    expect(new URL(link, `${test.url}${path}/cancelled`).pathname).toBe(path);
    for (const page of ['', '/thanks', '/cancelled']) expect((await show(unknown + page)).status).toBe(404);
  });

  it('answers HEAD without leading anywhere', async () => {
    const head = await test.visit(`/pay/${(await test.openOffer()).payToken}`, 'HEAD');
    expect([head.status, head.headers.get('location')]).toEqual([200, null]);
  });

  it('gives pages that a phone can read, no search engine keeps, and that load only their own style', async () => {
    const page = await test.visit(unknown);
    const html = await page.text();
    const style = /<style>([^]*)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(html).toContain('width=device-width');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    });
  });

  it.each([
    ['GET', 303],
    ['HEAD', 200],
  ] as const)('may be followed with %s 20 times a minute for each link', async (method, followed) => {
    const path = `/pay/${(await test.openOffer()).payToken}`;
    const visits = await Promise.all(Array.from({ length: 45 }, () => test.visit(path, method)));
    const count = (wanted: number) => visits.filter(({ status }) => status === wanted).length;
    expect([count(followed), count(429)]).toEqual([20, 25]);
    test.clock.advance(60_000);
    expect((await test.visit(path)).status).toBe(303);
  });
});

it('a webhook that Stripe has not signed is refused with a 400', async () => {
  for (const headers of [{}, { 'stripe-signature': 't=1,v1=abc' }])
    expect((await test.call('POST', '/webhooks/stripe', headers, { id: 'evt_1' })).status).toBe(400);
});

describe('the platform team', () => {
  it('sees a balance, which is 0 before the first posting', async () => {
    const book = test.newBook({ mode: 'LIVE', currency: 'EUR' });
    const query = `organisationId=${book.organisationId}&mode=LIVE&currency=EUR`;
    expect((await test.admin('GET', `/balances?${query}`)).body).toEqual({ ...book, balanceMinor: '0' });
  });

  it('tops up once per reference', async () => {
    const book = test.newBook();
    const topUp = { ...book, amountMinor: '700', reference: randomUUID() };
    const ask = (facts: object) => test.admin('POST', '/balances/top-up', { ...topUp, ...facts });
    for (const _time of [1, 2]) expect((await ask({})).body).toEqual({ ...book, balanceMinor: '700' });
    expect((await ask({ amountMinor: '701' })).status).toBe(409);
  });

  it.each([
    { amountMinor: '0' },
    { amountMinor: '-1' },
    { amountMinor: '100000000000000' },
    { currency: 'JPY' },
    { reference: '' },
    { reference: 'a\0b' },
    { reference: 'in two\nlines' },
    { reference: '\ud800' },
  ])('cannot top up with %j', async (wrong) => {
    const topUp = { ...test.newBook(), amountMinor: '1', reference: 'x', ...wrong };
    expect((await test.admin('POST', '/balances/top-up', topUp)).status).toBe(400);
  });

  it('voids the payment of an offer that exists no more: once it is credited in full, or its page is closed', async () => {
    const book = test.newBook();
    await test.topUp(book, 15_00n);
    const [charged, { offerId: open }] = [test.newOfferId(), await test.openOffer({ book })];
    await test.charge(book, 10_00n, charged);
    const listed = async (offerId: number) =>
      (await test.admin('GET', `/payments?after=${offerId - 1}&limit=1`)).body;
    const voided = async (offerId: number) => (await test.admin('POST', `/payments/${offerId}/void`)).body;
    const payment = { ...book, offerId: charged, netMinor: '1000', paymentMethod: 'B', creditedMinor: '0' };
    expect(await listed(charged)).toEqual({ payments: [{ ...payment, paid: true, open: false }] });
    const credited = { offerId: charged, outcome: 'credited' };
    for (const _time of [1, 2]) expect(await voided(charged)).toEqual(credited);
    expect(await test.balance(book)).toBe(15_00n);

    expect(await listed(open)).toMatchObject({ payments: [{ offerId: open, paid: false, open: true }] });
    expect(await voided(open)).toEqual({ offerId: open, outcome: 'closed' });
    expect(await listed(open)).toMatchObject({ payments: [{ open: false }] });
    expect((await test.admin('POST', `/payments/${test.newOfferId()}/void`)).status).toBe(404);
  });
});
