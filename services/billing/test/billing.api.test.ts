import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BalanceCredited, OfferPaid } from '@offer-ads/contracts/events/billing';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { OfferDeleted } from '@offer-ads/contracts/events/offers';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import {
  type Broker,
  connectBroker,
  on,
  type Subscription,
} from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { startStripeSimulator } from '@offer-ads/simulators/stripe/server';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import { startBilling } from '../src/service.ts';
import { startReceiver, stripeKeys } from './billing-under-test.ts';

const started = new AsyncDisposableStack();
const heard = { paid: [] as number[], credited: [] as number[] };
let url: string;
let stripe: string;
let offersOnBroker: Broker;

beforeAll(async () => {
  const database = await createTestDatabase('billing');
  started.defer(database.dispose);
  const namespace = testNamespace();
  started.defer(namespace.dispose);
  // The simulator and billing need each other's address, so webhooks go by way of this.
  const forward = started.use(
    await startReceiver(async ({ body, signature }) => {
      const headers = { 'stripe-signature': signature };
      const answer = await fetch(`${url}/webhooks/stripe`, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
      });
      return answer.ok ? 'accepted' : 'refused';
    }),
  );
  const simulator = started.use(
    await startStripeSimulator({
      webhookUrl: forward.url,
      webhookSecrets: { TEST: stripeKeys.TEST.webhookSecret, LIVE: stripeKeys.LIVE.webhookSecret },
      firstRetryMs: 10,
      log: () => {},
    }),
  );
  stripe = simulator.url;
  const billing = started.use(
    await startWhenStoresServe(() =>
      startBilling(
        {
          HOST: '127.0.0.1',
          PORT: 0,
          LOG_LEVEL: 'silent',
          PUBLIC_URL: 'https://ads.example',
          BILLING_DATABASE_URL: database.url,
          RABBITMQ_URL: namespace.url,
          BILLING_CONTEXT_SECRET: testContextSecret,
          ADMIN_TOKEN_HASHES: adminTokenHashes,
          STRIPE_API_URL: simulator.url,
          STRIPE_TEST_SECRET_KEY: stripeKeys.TEST.secretKey,
          STRIPE_TEST_WEBHOOK_SECRET: stripeKeys.TEST.webhookSecret,
          STRIPE_LIVE_SECRET_KEY: stripeKeys.LIVE.secretKey,
          STRIPE_LIVE_WEBHOOK_SECRET: stripeKeys.LIVE.webhookSecret,
          SELLER_NAME: 'Offer Ads Ltd',
          SELLER_ADDRESS: '1 Example Street, London, EC1A 1AA, United Kingdom',
          SELLER_VAT_NUMBER: 'GB 123 4567 89',
        },
        { logger: silentLogger, brokerNamespace: namespace.namespace },
      ),
    ),
  );
  url = billing.url;

  const join = async (service: ServiceName, subscription: Subscription, emits: EventDeclaration[] = []) => {
    const metrics = createMetrics(service);
    const broker = started.use(
      await connectBroker({
        url: namespace.url,
        namespace: namespace.namespace,
        service,
        declarations: [subscription.declaration, ...emits],
        logger: silentLogger,
        metrics,
      }),
    );
    await broker.consume([subscription]);
    return broker;
  };
  offersOnBroker = await join(
    'offers',
    on(OfferPaid, async ({ data }) => void heard.paid.push(data.offerId)),
    [OfferDeleted],
  );
  await join(
    'notifier',
    on(BalanceCredited, async ({ data }) => void heard.credited.push(data.offerId)),
  );
});

afterAll(async () => {
  await using _ = started;
  await expectSoundLedger();
});

async function expectSoundLedger(): Promise<void> {
  expect(await admin('GET', '/admin/ledger/check')).toMatchObject({ body: { ok: true, problems: [] } });
}

type Answer = { status: number; body: unknown };

async function call(
  method: string,
  path: string,
  headers: Record<string, string>,
  json?: unknown,
): Promise<Answer> {
  const answer = await patiently(() =>
    fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(json !== undefined && { 'content-type': 'application/json' }) },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    }),
  );
  return { status: answer.status, body: await answer.json() };
}
function as(caller: Partial<CallerContext>, method: string, path: string, json?: unknown): Promise<Answer> {
  return call(method, path, signedCaller({ audience: 'billing', ...caller }), json);
}
function admin(method: string, path: string, json?: unknown): Promise<Answer> {
  return call(method, path, { authorization: `Bearer ${adminToken}` }, json);
}

let lastId = 0;
const newId = () => ++lastId;

async function topUp(organisationId: number, amountMinor: string): Promise<void> {
  const topUp = { organisationId, mode: 'TEST', currency: 'GBP', amountMinor, reference: randomUUID() };
  expect(await admin('POST', '/admin/balances/top-up', topUp)).toMatchObject({ status: 200 });
}

async function openCheckout(organisationId: number) {
  const offerId = newId();
  const order = {
    offerId,
    title: 'Two for one',
    netMinor: '1000',
    offerExpiryAt: '2099-01-01T00:00:00.000Z',
  };
  const { status, body } = await as({ organisationId }, 'POST', '/internal/checkouts', order);
  expect(status).toBe(200);
  const { paymentUrl } = body as { paymentUrl: string };
  return { offerId, order, body, payPath: new URL(paymentUrl).pathname };
}

/** Where a browser is led that follows the link. */
async function followLink(payPath: string, method = 'GET') {
  return patiently(() => fetch(`${url}${payPath}`, { method, redirect: 'manual' }));
}

async function payBy(payPath: string): Promise<void> {
  const session = (await followLink(payPath)).headers.get('location')?.split('/').pop();
  expect((await fetch(`${stripe}/sim/sessions/${session}/pay`, { method: 'POST' })).status).toBe(200);
}

describe('POST /internal/charges', () => {
  it('charges the caller’s balance, and says what is left', async () => {
    const organisationId = newId();
    await topUp(organisationId, '1500');
    const charge = { offerId: newId(), title: 'Two for one', netMinor: '1000' };
    expect(await as({ organisationId }, 'POST', '/internal/charges', charge)).toMatchObject({
      status: 200,
      body: { outcome: 'charged', balanceMinor: '500' },
    });
    expect(await as({ organisationId }, 'GET', '/internal/balance')).toEqual({
      status: 200,
      body: { mode: 'TEST', currency: 'GBP', balanceMinor: '500' },
    });
  });

  it('refuses what does not fit the contract with a 400', async () => {
    for (const wrong of [
      {},
      { offerId: 1, title: 'x', netMinor: '-5' },
      { offerId: 'x', title: 'x', netMinor: '5' },
    ]) {
      expect((await as({}, 'POST', '/internal/charges', wrong)).status).toBe(400);
    }
  });

  it('answers nobody without a caller context for billing', async () => {
    const charge = { offerId: newId(), title: 'Two for one', netMinor: '0' };
    expect(await call('POST', '/internal/charges', {}, charge)).toEqual({
      status: 401,
      body: { message: 'Unauthorised' },
    });
    expect((await as({ audience: 'offers' }, 'POST', '/internal/charges', charge)).status).toBe(401);
  });
});

describe('a request that is past its deadline by the clock of the database', () => {
  it('is answered with 503 and changes nothing', async () => {
    const organisationId = newId();
    await topUp(organisationId, '1500');
    const { offerId } = await openCheckout(organisationId);
    const late = { ...signedCaller({ audience: 'billing', organisationId }), 'x-commit-by': '1' };
    const headers = { ...late, 'idempotency-key': randomUUID(), 'content-type': 'application/json' };
    const sale = { offerId: newId(), title: 'Two for one', netMinor: '1000' };
    const asked: [string, string, unknown][] = [
      ['POST', '/charges', sale],
      ['POST', '/checkouts', { ...sale, offerExpiryAt: '2099-01-01T00:00:00.000Z' }],
      ['POST', `/offers/${offerId}/close-checkout`, { deletion: 1 }],
      ['POST', '/top-ups', { amountMinor: '1000' }],
      ['POST', '/play-money', { amountMinor: '1000' }],
      ['PUT', '/low-balance-threshold', { thresholdMinor: '1000' }],
    ];
    for (const [method, path, json] of asked) {
      const init = { method, headers, body: JSON.stringify(json) };
      expect([path, (await fetch(`${url}/internal${path}`, init)).status]).toEqual([path, 503]);
    }
    const standing = await as({ organisationId }, 'GET', '/internal/low-balance-threshold');
    expect(standing.body).toMatchObject({ balanceMinor: '1500', thresholdMinor: null });
    const settled = await as({ organisationId }, 'POST', `/internal/offers/${sale.offerId}/settle`);
    expect(settled.body).toEqual({ outcome: 'closed' });
  });
});

describe('VAT', () => {
  it.each([
    ['a UK organisation: a fifth on top', 'GB', 246, 1_476],
    ['an organisation elsewhere', 'IE', 0, 1_230],
  ])('on a card payment of %s', async (_whose, country, vatMinor, totalMinor) => {
    const organisationId = newId();
    const order = {
      offerId: newId(),
      title: 'Two for one',
      netMinor: '1230',
      offerExpiryAt: '2099-01-01T00:00:00.000Z',
    };
    const { body } = await as({ organisationId, country }, 'POST', '/internal/checkouts', order);
    expect(body).toMatchObject({ outcome: 'opened', netMinor: '1230', vatMinor: `${vatMinor}` });
    const { paymentUrl } = body as { paymentUrl: string };
    const leadsTo = (await followLink(new URL(paymentUrl).pathname)).headers.get('location');
    const session = await fetch(`${stripe}/sim/sessions/${leadsTo?.split('/').pop()}`);
    expect(await session.json()).toMatchObject({
      lines: [{ name: 'Two for one', amountMinor: 1_230 }],
      vatMinor,
      totalMinor,
    });
  });

  it('is on no payment from the balance, wherever the organisation is', async () => {
    for (const country of ['GB', 'IE']) {
      const organisationId = newId();
      await topUp(organisationId, '1230');
      const charge = { offerId: newId(), title: 'Two for one', netMinor: '1230' };
      expect(await as({ organisationId, country }, 'POST', '/internal/charges', charge)).toMatchObject({
        body: { outcome: 'charged', balanceMinor: '0' },
      });
    }
  });
});

describe('a card payment, from checkout to event', () => {
  it('leads the payer to Stripe and tells offers once it is paid', async () => {
    const { offerId, order, body, payPath } = await openCheckout(newId());
    expect(body).toMatchObject({ outcome: 'opened', netMinor: '1000', vatMinor: '200' });
    const redirect = await followLink(payPath);
    expect(redirect.status).toBe(303);
    expect(redirect.headers.get('location')).toContain(stripe);
    expect(redirect.headers.get('referrer-policy')).toBe('no-referrer');

    await payBy(payPath);
    await eventually(() => expect(heard.paid).toContain(offerId));
    const page = await followLink(payPath);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('has been paid');
    expect(order.offerId).toBe(offerId);
  });

  it('that is deleted before it is paid is closed, and the link says so', async () => {
    const organisationId = newId();
    const { offerId, payPath } = await openCheckout(organisationId);
    const close = (deletion: number) =>
      as({ organisationId }, 'POST', `/internal/offers/${offerId}/close-checkout`, { deletion });
    expect(await close(1)).toEqual({ status: 200, body: { outcome: 'closed' } });
    expect(await close(2)).toEqual({ status: 200, body: { outcome: 'closed' } });
    expect((await followLink(payPath)).status).toBe(410);
  });

  it('whose deletion is taken back can be paid again', async () => {
    const organisationId = newId();
    const { offerId, payPath } = await openCheckout(organisationId);
    const ask = (what: 'close' | 'keep') =>
      as({ organisationId }, 'POST', `/internal/offers/${offerId}/${what}-checkout`, { deletion: 1 });
    expect(await ask('close')).toEqual({ status: 200, body: { outcome: 'closed' } });
    expect(await ask('keep')).toEqual({ status: 200, body: { outcome: 'open' } });
    expect((await followLink(payPath)).status).toBe(303);
    await payBy(payPath);
    await eventually(() => expect(heard.paid).toContain(offerId));
    expect(await ask('keep')).toEqual({ status: 200, body: { outcome: 'paid' } });
  });

  it('knows deletions by numbers that it can keep, and none that would close the page for ever', async () => {
    const { offerId } = await openCheckout(1);
    for (const deletion of [0, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1]) {
      for (const what of ['close-checkout', 'keep-checkout']) {
        const answer = await as({ organisationId: 1 }, 'POST', `/internal/offers/${offerId}/${what}`, {
          deletion,
        });
        expect(answer).toMatchObject({
          status: 400,
          body: { message: expect.stringMatching(/^deletion: /) },
        });
      }
    }
  });

  it('of which nobody knows is settled as closed', async () => {
    expect(await as({}, 'POST', `/internal/offers/${newId()}/settle`)).toEqual({
      status: 200,
      body: { outcome: 'closed' },
    });
  });

  it('deleted while it runs is credited over the broker, and the notifier hears of it', async () => {
    const organisationId = newId();
    const { offerId, payPath } = await openCheckout(organisationId);
    await payBy(payPath);
    await eventually(() => expect(heard.paid).toContain(offerId));
    const at = new Date();
    const iso = at.toISOString();
    await offersOnBroker.publish([
      newEvent(OfferDeleted, {
        subject: `offer/${offerId}`,
        subjectVersion: 9,
        at,
        data: {
          offerId,
          organisationId,
          mode: 'TEST',
          title: 'Two for one',
          startAt: iso,
          expiryAt: iso,
          unusedMs: 500,
          scheduledMs: 1_000,
          paid: true,
          deletedAt: iso,
        },
      }),
    ]);
    await eventually(() => expect(heard.credited).toContain(offerId));
    expect(await as({ organisationId }, 'GET', '/internal/balance')).toMatchObject({
      body: { balanceMinor: '500' },
    });
  });
});

describe('GET /pay/{token}', () => {
  it('is a page that a phone can read and no search engine keeps', async () => {
    const page = await followLink(`/pay/${'a'.repeat(32)}`);
    expect(page.status).toBe(404);
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).toContain('width=device-width');
  });

  it('loads nothing, runs nothing and takes only its own style', async () => {
    const page = await followLink(`/pay/${'a'.repeat(32)}`);
    const style = /<style>([^]*)<\/style>/.exec(await page.text())?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('answers HEAD without leading anywhere', async () => {
    const { payPath } = await openCheckout(newId());
    const head = await followLink(payPath, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers.get('location')).toBeNull();
  });

  it('is bounded per link', async () => {
    const { payPath } = await openCheckout(newId());
    const visits = await Promise.all(Array.from({ length: 45 }, () => followLink(payPath)));
    const statuses = visits.map(({ status }) => status);
    // Two minutes at most, should one end meanwhile.
    expect(statuses.filter((status) => status === 303).length).toBeLessThanOrEqual(40);
    expect(statuses).toContain(429);
  });

  it('has pages to come back to after paying and after turning away', async () => {
    const { payPath } = await openCheckout(newId());
    expect(await (await followLink(`${payPath}/thanks`)).text()).toContain('Thank you');
    const cancelled = await (await followLink(`${payPath}/cancelled`)).text();
    expect(new URL(/href="([^"]+)"/.exec(cancelled)?.[1] ?? '', `${url}${payPath}/cancelled`).pathname).toBe(
      payPath,
    );
  });

  it('says on the way back what has become of the offer meanwhile, and nothing of links that nobody was given', async () => {
    const organisationId = newId();
    const { payPath, offerId } = await openCheckout(organisationId);
    const path = `/internal/offers/${offerId}/close-checkout`;
    expect((await as({ organisationId }, 'POST', path, { deletion: 1 })).status).toBe(200);
    const cancelled = await followLink(`${payPath}/cancelled`);
    expect(cancelled.status).toBe(410);
    expect(await cancelled.text()).toContain('was deleted');
    for (const page of ['thanks', 'cancelled']) {
      expect((await followLink(`/pay/${'a'.repeat(32)}/${page}`)).status).toBe(404);
    }
  });
});

describe('POST /webhooks/stripe', () => {
  it('refuses what Stripe has not signed', async () => {
    for (const headers of [{}, { 'stripe-signature': 't=1,v1=abc' }]) {
      expect((await call('POST', '/webhooks/stripe', headers, { id: 'evt_1' })).status).toBe(400);
    }
  });
});

describe('the admin routes', () => {
  it('show a balance, 0 when nothing was ever booked', async () => {
    const organisationId = newId();
    const path = `/admin/balances?organisationId=${organisationId}&mode=LIVE&currency=EUR`;
    expect(await admin('GET', path)).toEqual({
      status: 200,
      body: { organisationId, mode: 'LIVE', currency: 'EUR', balanceMinor: '0' },
    });
  });

  it('top up once per reference', async () => {
    const book = { organisationId: newId(), mode: 'TEST', currency: 'GBP' };
    const topUp = { ...book, amountMinor: '700', reference: randomUUID() };
    const booked = { status: 200, body: { ...book, balanceMinor: '700' } };
    expect(await admin('POST', '/admin/balances/top-up', topUp)).toEqual(booked);
    expect(await admin('POST', '/admin/balances/top-up', topUp)).toEqual(booked);
    const other = { ...topUp, amountMinor: '701' };
    expect((await admin('POST', '/admin/balances/top-up', other)).status).toBe(409);
  });

  it('refuse a top-up of nothing, below nothing, beyond belief, in a currency that is not billed, or by no legible reference', async () => {
    const topUp = {
      organisationId: newId(),
      mode: 'TEST',
      currency: 'GBP',
      amountMinor: '1',
      reference: 'x',
    };
    for (const wrong of [
      { amountMinor: '0' },
      { amountMinor: '-1' },
      { amountMinor: '100000000000000' },
      { currency: 'JPY' },
      { reference: '' },
      { reference: 'a\0b' },
      { reference: 'in two\nlines' },
      { reference: '\ud800' },
    ]) {
      expect((await admin('POST', '/admin/balances/top-up', { ...topUp, ...wrong })).status).toBe(400);
    }
  });

  it('void the payment of an offer that is no more, once: it is credited in full, or its page closed', async () => {
    const organisationId = newId();
    await topUp(organisationId, '1500');
    const charged = newId();
    const balance = async () => (await as({ organisationId }, 'GET', '/internal/balance')).body;
    const listed = async (offerId: number) =>
      (await admin('GET', `/admin/payments?after=${offerId - 1}&limit=1`)).body;
    const charge = { offerId: charged, title: 'Two for one', netMinor: '1000' };
    await as({ organisationId }, 'POST', '/internal/charges', charge);
    const sale = { organisationId, mode: 'TEST', currency: 'GBP', netMinor: '1000' };
    expect(await listed(charged)).toEqual({
      payments: [
        { ...sale, offerId: charged, paymentMethod: 'B', paid: true, open: false, creditedMinor: '0' },
      ],
    });
    for (const _time of [1, 2])
      expect(await admin('POST', `/admin/payments/${charged}/void`)).toEqual({
        status: 200,
        body: { offerId: charged, outcome: 'credited' },
      });
    expect(await balance()).toMatchObject({ balanceMinor: '1500' });

    const { offerId: open } = await openCheckout(organisationId);
    expect(await listed(open)).toMatchObject({ payments: [{ offerId: open, paid: false, open: true }] });
    expect(await admin('POST', `/admin/payments/${open}/void`)).toMatchObject({
      body: { outcome: 'closed' },
    });
    expect(await listed(open)).toMatchObject({ payments: [{ open: false }] });
    expect((await admin('POST', `/admin/payments/${newId()}/void`)).status).toBe(404);
  });

  it('answer nobody without the credential', async () => {
    expect((await call('GET', '/admin/ledger/check', {})).status).toBe(401);
  });
});
