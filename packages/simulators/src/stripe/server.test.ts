import { afterEach, describe, expect, it } from '@jest/globals';
import { Stripe } from 'stripe';
import { startStripeSimulator } from './server.ts';

const secrets = { TEST: 'whsec_test', LIVE: 'whsec_live' };
const started: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of started.splice(0).toReversed()) await resource[Symbol.asyncDispose]();
});

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
