import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Stripe } from 'stripe';
import { startStripeSimulator } from './server.ts';

const secrets = { TEST: 'whsec_test', LIVE: 'whsec_live' };
const started: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of started.splice(0).toReversed()) await resource[Symbol.asyncDispose]();
});

/** An endpoint for webhooks. It checks signatures with Stripe's SDK. @param answer the status for each request */
async function startReceiver(answer: (count: number) => number = () => 200) {
  const events: Stripe.Event[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let requests = 0;
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    const body = Buffer.concat(await req.toArray());
    const signature = req.headers['stripe-signature'] ?? '';
    const { livemode } = JSON.parse(body.toString());
    const event = Stripe.webhooks.constructEvent(body, signature, secrets[livemode ? 'LIVE' : 'TEST']);
    requests += 1;
    const status = answer(requests);
    if (status === 200) events.push(event);
    res.writeHead(status).end();
    for (const { count, resolve } of waiting) if (events.length >= count) resolve();
  };
  const server = createServer((req, res) => void receive(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.push({
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/stripe`,
    events,
    requests: () => requests,
    received: (count: number) =>
      new Promise<void>((resolve) => (events.length >= count ? resolve() : waiting.push({ count, resolve }))),
  };
}

async function start(overrides: Partial<Parameters<typeof startStripeSimulator>[0]> = {}) {
  const time = { at: new Date('2026-11-20T12:00:00Z') };
  const simulator = await startStripeSimulator({
    webhookUrl: 'http://127.0.0.1:9/nobody',
    webhookSecrets: secrets,
    clock: { now: () => time.at },
    firstRetryMs: 5,
    log: () => undefined,
    ...overrides,
  });
  started.push(simulator);
  const client = (key: string) => {
    const { hostname, port } = new URL(simulator.url);
    return new Stripe(key, {
      host: hostname,
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });
  };
  const sim = async (method: string, path: string, body?: object) => {
    const reply = await fetch(simulator.url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  return { simulator, time, sim, stripe: client('sk_test_abc'), live: client('sk_live_abc') };
}

const line = (unitAmount: number, currency = 'gbp', taxRates: string[] = []) => ({
  price_data: { currency, unit_amount: unitAmount, product_data: { name: 'Offer 7: Two for one' } },
  quantity: 1,
  ...(taxRates.length > 0 ? { tax_rates: taxRates } : {}),
});
const order = (unitAmount = 1234, overrides: Partial<Stripe.Checkout.SessionCreateParams> = {}) => ({
  mode: 'payment' as const,
  line_items: [line(unitAmount)],
  success_url: 'http://127.0.0.1:1/done?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://127.0.0.1:1/cancelled',
  metadata: { offer_id: '7' },
  ...overrides,
});
const vat = { display_name: 'VAT', inclusive: false, percentage: 20 };

describe('a Checkout Session', () => {
  it('is created open, with its amounts, its page and its mode', async () => {
    const { stripe, simulator } = await start();
    const session = await stripe.checkout.sessions.create(order());
    expect(session).toMatchObject({
      object: 'checkout.session',
      amount_subtotal: 1234,
      amount_total: 1234,
      currency: 'gbp',
      livemode: false,
      metadata: { offer_id: '7' },
      payment_status: 'unpaid',
      status: 'open',
      expires_at: Date.parse('2026-11-21T12:00:00Z') / 1000,
    });
    expect(session.id).toMatch(/^cs_test_\w{58}$/);
    expect(session.url).toBe(`${simulator.url}/c/pay/${session.id}`);
  });

  it('has each tax rounded half up on its line', async () => {
    const { stripe, sim } = await start();
    const rate = await stripe.taxRates.create(vat);
    for (const [net, tax] of [
      [1234, 247],
      [1232, 246],
      [103, 21],
      [1002, 200],
    ] as const) {
      const session = await stripe.checkout.sessions.create(
        order(net, { line_items: [line(net, 'gbp', [rate.id])] }),
      );
      expect(session).toMatchObject({
        amount_subtotal: net,
        amount_total: net + tax,
        total_details: { amount_tax: tax },
      });
      expect((await sim('GET', `/sim/sessions/${session.id}`)).body).toEqual({
        status: 'open',
        currency: 'gbp',
        lines: [{ name: 'Offer 7: Two for one', amountMinor: net }],
        vatMinor: tax,
        totalMinor: net + tax,
      });
    }
  });

  it('is unknown to a key of the other mode', async () => {
    const { stripe, live } = await start();
    const session = await live.checkout.sessions.create(order());
    expect(session.id).toMatch(/^cs_live_/);
    expect(session.livemode).toBe(true);
    await expect(stripe.checkout.sessions.retrieve(session.id)).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
  });

  it('expires when its time is over, and emits an event', async () => {
    const receiver = await startReceiver();
    const { stripe, time, simulator } = await start({ webhookUrl: receiver.url });
    time.at = new Date();
    const session = await stripe.checkout.sessions.create(order());
    time.at = new Date(session.expires_at * 1000);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: 'expired',
      url: null,
    });
    simulator.expireDue();
    await receiver.received(1);
    expect(receiver.events[0]?.type).toBe('checkout.session.expired');
  });

  it('can be expired once, while it is open', async () => {
    const { stripe } = await start();
    const session = await stripe.checkout.sessions.create(order());
    expect((await stripe.checkout.sessions.expire(session.id)).status).toBe('expired');
    await expect(stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({
      statusCode: 400,
      type: 'StripeInvalidRequestError',
    });
  });
});

describe('creating is refused', () => {
  it('for a parameter that Stripe does not have, which the reply names', async () => {
    const { stripe } = await start();
    const wrong = { ...order(), line_items: [{ ...line(1234), colour: 'red' }] };
    await expect(stripe.checkout.sessions.create(wrong)).rejects.toMatchObject({
      code: 'parameter_unknown',
      param: 'line_items[0][colour]',
    });
  });

  it('for an amount above the maximum of the currency', async () => {
    const { stripe } = await start();
    await expect(stripe.checkout.sessions.create(order(100_000_000))).rejects.toMatchObject({
      code: 'amount_too_large',
      message: "The Checkout Session's total amount due must be no more than 999999.99 gbp.",
    });
    await expect(stripe.checkout.sessions.create(order(99_999_999))).resolves.toMatchObject({
      status: 'open',
    });
  });

  it('for an amount below the minimum of the currency', async () => {
    const { stripe } = await start();
    await expect(stripe.checkout.sessions.create(order(29))).rejects.toMatchObject({
      code: 'amount_too_small',
    });
    await expect(stripe.checkout.sessions.create(order(30))).resolves.toMatchObject({ amount_total: 30 });
  });

  it('in another API version', async () => {
    const { stripe } = await start();
    const other = { apiVersion: '2026-07-29.dahlia' };
    await expect(stripe.checkout.sessions.create(order(), other)).rejects.toMatchObject({ statusCode: 400 });
  });

  it('for an invalid API key', async () => {
    const { simulator } = await start();
    const reply = await fetch(`${simulator.url}/v1/tax_rates`, {
      headers: { authorization: 'Bearer nonsense' },
    });
    expect(reply.status).toBe(401);
  });
});

describe('an idempotency key', () => {
  it('gives the same session for the same parameters, and an error for other parameters', async () => {
    const { stripe } = await start();
    const first = await stripe.checkout.sessions.create(order(), { idempotencyKey: 'offer-7-1' });
    const again = await stripe.checkout.sessions.create(order(), { idempotencyKey: 'offer-7-1' });
    expect(again).toEqual(first);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    await expect(
      stripe.checkout.sessions.create(order(1235), { idempotencyKey: 'offer-7-1' }),
    ).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
  });

  it('can be used again after a refusal', async () => {
    const { stripe, sim } = await start();
    await sim('POST', '/sim/faults', { failCreate: 'down' });
    const create = () => stripe.checkout.sessions.create(order(), { idempotencyKey: 'offer-8-1' });
    await expect(create()).rejects.toMatchObject({ statusCode: 503 });
    await sim('POST', '/sim/faults', {});
    await expect(create()).resolves.toMatchObject({ status: 'open' });
  });
});

describe('the payment page', () => {
  it('shows lines, tax and total, and its button pays and redirects to the shop', async () => {
    const { stripe } = await start();
    const rate = await stripe.taxRates.create(vat);
    const lines = [{ ...line(1234, 'gbp', [rate.id]) }];
    const session = await stripe.checkout.sessions.create(order(1234, { line_items: lines }));
    const html = await (await fetch(session.url ?? '')).text();
    for (const text of ['Offer 7: Two for one', '12.34 GBP', 'VAT (20%)', '2.47 GBP', 'Pay 14.81 GBP']) {
      expect(html).toContain(text);
    }
    const clicked = await fetch(session.url ?? '', { method: 'POST', redirect: 'manual' });
    expect(clicked.status).toBe(303);
    expect(clicked.headers.get('location')).toBe(`http://127.0.0.1:1/done?session=${session.id}`);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
    });
    expect(await (await fetch(session.url ?? '')).text()).toContain('has been made');
  });
});

describe('webhooks', () => {
  it('are signed with the secret of their mode, and Stripe’s SDK accepts them', async () => {
    const receiver = await startReceiver();
    const { stripe, live, sim } = await start({ webhookUrl: receiver.url, clock: { now: () => new Date() } });
    for (const [index, account] of [stripe, live].entries()) {
      const { id } = await account.checkout.sessions.create(order());
      expect((await sim('POST', `/sim/sessions/${id}/pay`)).body.status).toBe('complete');
      expect((await sim('POST', `/sim/sessions/${id}/pay`)).status).toBe(409);
      await receiver.received(index + 1);
    }
    expect(receiver.events.map(({ type, livemode }) => [type, livemode])).toEqual([
      ['checkout.session.completed', false],
      ['checkout.session.completed', true],
    ]);
    expect(receiver.events[0]?.data.object).toMatchObject({
      metadata: { offer_id: '7' },
      payment_status: 'paid',
    });
  });

  it('are repeated until they are accepted', async () => {
    const receiver = await startReceiver((count) => (count < 4 ? 500 : 200));
    const { stripe, sim } = await start({ webhookUrl: receiver.url, clock: { now: () => new Date() } });
    const { id } = await stripe.checkout.sessions.create(order());
    await sim('POST', `/sim/sessions/${id}/pay`);
    await receiver.received(1);
    expect(receiver.requests()).toBe(4);
    expect((await stripe.events.list()).data).toHaveLength(1);
  });

  it('are delivered as often as a test sets, all with one event id', async () => {
    const receiver = await startReceiver();
    const { stripe, sim } = await start({ webhookUrl: receiver.url, clock: { now: () => new Date() } });
    await sim('POST', '/sim/faults', { duplicate: 3, delayMs: 5, shuffle: true });
    const { id } = await stripe.checkout.sessions.create(order());
    await sim('POST', `/sim/sessions/${id}/pay`);
    await receiver.received(3);
    expect(new Set(receiver.events.map((event) => event.id)).size).toBe(1);
  });
});

describe('events', () => {
  async function startWithEvents() {
    const receiver = await startReceiver();
    const clock = { now: () => new Date(nowMs) };
    let nowMs = Date.now();
    const advance = (ms: number) => {
      nowMs += ms;
    };
    const { stripe, live, sim } = await start({ webhookUrl: receiver.url, clock });
    const { id } = await stripe.checkout.sessions.create(order());
    await sim('POST', `/sim/sessions/${id}/pay`);
    await receiver.received(1);
    await sim('POST', '/sim/faults', { lose: true });
    for (let count = 0; count < 3; count += 1) {
      advance(1_000);
      await sim('POST', `/sim/sessions/${id}/refund`, { amountMinor: 1 });
    }
    await sim('POST', `/sim/sessions/${id}/dispute`, {});
    return { receiver, stripe, live, advance, nowMs: () => nowMs };
  }

  it('are listed newest first, in pages, by type and time, delivered or not', async () => {
    const { receiver, stripe, live, nowMs } = await startWithEvents();
    const typesOf = async (query: Parameters<typeof stripe.events.list>[0]) =>
      (await stripe.events.list(query)).data.map(({ type }) => type);
    const refunds = ['refund.created', 'refund.created', 'refund.created'];
    const disputes = ['charge.dispute.funds_withdrawn', 'charge.dispute.created'];
    expect(await typesOf({})).toEqual([...disputes, ...refunds, 'checkout.session.completed']);
    expect(receiver.events).toHaveLength(1);
    expect(await typesOf({ types: ['refund.created', 'charge.dispute.created'] })).toEqual([
      'charge.dispute.created',
      ...refunds,
    ]);
    const latest = Math.floor(nowMs() / 1_000);
    const types = ['refund.created'] as const;
    expect(await typesOf({ types: [...types], created: { lt: latest } })).toHaveLength(2);
    expect(await typesOf({ types: [...types], created: { gte: latest } })).toHaveLength(1);
    expect((await live.events.list()).data).toEqual([]);

    const first = await stripe.events.list({ limit: 4 });
    expect(first.has_more).toBe(true);
    const rest = await stripe.events.list({ limit: 4, starting_after: first.data[3]!.id });
    expect([rest.has_more, rest.data.map(({ type }) => type)]).toEqual([
      false,
      ['refund.created', 'checkout.session.completed'],
    ]);
  });

  it('are kept for 30 days, and a page after a removed event is refused', async () => {
    const { stripe, advance } = await startWithEvents();
    const [latest] = (await stripe.events.list({ limit: 1 })).data;
    advance(30 * 24 * 3_600_000 + 1_000);
    expect((await stripe.events.list()).data).toEqual([]);
    await expect(stripe.events.list({ starting_after: latest!.id })).rejects.toMatchObject({
      code: 'resource_missing',
      param: 'starting_after',
    });
    const unknown = { types: ['refund.created', 'refund.create'] };
    await expect(stripe.events.list(unknown)).rejects.toMatchObject({ param: 'types[1]' });
  });
});

describe('faults', () => {
  it('can let a payment happen just before an expiry', async () => {
    const receiver = await startReceiver();
    const { stripe, sim } = await start({ webhookUrl: receiver.url, clock: { now: () => new Date() } });
    const { id } = await stripe.checkout.sessions.create(order());
    await sim('POST', '/sim/faults', { failExpire: 'complete' });
    await expect(stripe.checkout.sessions.expire(id)).rejects.toMatchObject({ statusCode: 400 });
    expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('complete');
    await receiver.received(1);
    expect(receiver.events[0]?.type).toBe('checkout.session.completed');
  });

  it('can let expiring and creating fail, and then nothing changes', async () => {
    const { stripe, sim } = await start();
    const { id } = await stripe.checkout.sessions.create(order());
    await sim('POST', '/sim/faults', { failExpire: 'down', failCreate: 'too_small' });
    await expect(stripe.checkout.sessions.expire(id)).rejects.toMatchObject({ statusCode: 503 });
    expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open');
    await expect(stripe.checkout.sessions.create(order())).rejects.toMatchObject({
      code: 'amount_too_small',
    });
  });

  it('with an unknown name are refused', async () => {
    const { sim } = await start();
    expect((await sim('POST', '/sim/faults', { failEverything: true })).status).toBe(400);
  });
});

it('after a restart all objects are there, and undelivered webhooks are sent', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stripe-simulator-'));
  started.push({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) });
  const stateFile = path.join(folder, 'stripe.ndjson');
  const clock = { now: () => new Date() };
  const before = await start({ stateFile, clock });
  const session = await before.stripe.checkout.sessions.create(order(), { idempotencyKey: 'offer-7-1' });
  await before.sim('POST', `/sim/sessions/${session.id}/pay`);
  await before.simulator[Symbol.asyncDispose]();
  started.splice(started.indexOf(before.simulator), 1);

  const receiver = await startReceiver();
  const after = await start({ stateFile, clock, webhookUrl: receiver.url });
  await receiver.received(1);
  expect((await after.stripe.checkout.sessions.retrieve(session.id)).status).toBe('complete');
  const replayed = await after.stripe.checkout.sessions.create(order(), { idempotencyKey: 'offer-7-1' });
  expect(replayed.id).toBe(session.id);
});
