import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import type { Billing } from '../../src/billing.ts';
import { closeCheckout } from '../../src/checkouts/close-checkout.ts';
import { followPaymentLink } from '../../src/checkouts/follow-payment-link.ts';
import { type CheckoutOrder, openCheckout } from '../../src/checkouts/open-checkout.ts';
import { openStripe, type StripeAccounts, stripeDeadline } from '../../src/stripe/client.ts';
import { type BillingUnderTest, startBillingUnderTest, stripeKeys } from '../billing-under-test.ts';

let test: BillingUnderTest;
let stripe: StripeAccounts & Disposable;
let billing: Billing;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
beforeEach(() => {
  // A breaker that no other test has opened.
  stripe = openStripe({
    keys: stripeKeys,
    apiUrl: test.simulatorUrl,
    logger: silentLogger,
    metrics: createMetrics('billing'),
  });
  billing = { ...test.billing, stripe };
});
afterEach(async () => {
  stripe[Symbol.dispose]();
  await test.setFaults({});
});
afterAll(() => test.finish());

const newOrder = (facts: Partial<CheckoutOrder> = {}): CheckoutOrder => ({
  offerId: test.newOfferId(),
  book: test.newBook(),
  country: 'DE',
  title: 'Two for one',
  netMinor: 10_00n,
  offerExpiryAt: new Date(test.clock.now().getTime() + 240 * 3_600_000),
  ...facts,
});
const open = (order: CheckoutOrder, budgetMs = 8_000) =>
  openCheckout(billing, order, createDeadline(budgetMs));
const state = async (offerId: number) => (await test.cardPayment(offerId)).checkout;
const createCalls = () =>
  test.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/checkout/sessions').length;

describe('opening a session', () => {
  it('whose connection is cut after Stripe did the work is repeated and finds the same session', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'cut', failTimes: 1 });
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('that is cut every time is a 503; asked again it leads to the one session that was made', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'cut' });
    await expect(open(order)).rejects.toMatchObject({ status: 503 });
    await test.setFaults({});
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('that is slower than the budget is a 503 in time, and no second session follows', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'slow', slowMs: 30_000 });
    await inTime(2_500, () => expect(open(order, 1_500)).rejects.toMatchObject({ status: 503 }));
    await test.setFaults({});
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('that Stripe answers 500 for ever under one key goes on under the next generation’s', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'error', failTimes: 1 });
    // The repeat is told the stored failure.
    await expect(open(order)).rejects.toMatchObject({ status: 503 });
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
    expect(await state(order.offerId)).toMatchObject({ state: 'open', session: { generation: 2 } });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('that Stripe declines with 402 made nothing: closing it needs no session', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'declined' });
    const before = createCalls();
    await expect(open(order)).rejects.toMatchObject({ status: 500 });
    expect(createCalls() - before).toBe(1);
    expect(await closeCheckout(billing, order, stripeDeadline())).toBe('closed');
    expect(test.sessionsOf(order.offerId)).toEqual([]);
  });

  it('waits as long as 429 asks for, when that is within the budget', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'busy', retryAfterSeconds: 1, failTimes: 1 });
    const began = performance.now();
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  it('does not wait when 429 asks for more, and tells the caller when to come back', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'busy', retryAfterSeconds: 30 });
    const before = createCalls();
    await expect(open(order)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 30 });
    expect(createCalls() - before).toBe(1);
    await test.setFaults({});
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
  });

  it('is never repeated under another key: ten callers in a storm of faults get one session', async () => {
    const order = newOrder();
    for (const failCreate of ['cut', 'down', 'busy', 'cut'] as const) {
      await test.setFaults({ failCreate, failTimes: 3, retryAfterSeconds: 0 });
      await Promise.allSettled(Array.from({ length: 10 }, () => open(order)));
    }
    await test.setFaults({});
    // The breaker may still be open.
    stripe[Symbol.dispose]();
    stripe = openStripe({
      keys: stripeKeys,
      apiUrl: test.simulatorUrl,
      logger: silentLogger,
      metrics: createMetrics('billing'),
    });
    billing = { ...test.billing, stripe };
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });
});

describe('the very first tax rate of an account', () => {
  const newStripe = () => {
    stripe[Symbol.dispose]();
    stripe = openStripe({
      keys: stripeKeys,
      apiUrl: test.simulatorUrl,
      logger: silentLogger,
      metrics: createMetrics('billing'),
    });
    billing = { ...test.billing, stripe };
  };

  it('may meet a 500 that Stripe stores: the creation goes on under another key, and so do all after it', async () => {
    // No other test asks for VAT in this mode.
    const british = () => newOrder({ country: 'GB', book: test.newBook({ mode: 'LIVE' }) });
    const order = british();
    await test.setFaults({ failRate: 'error' });
    await expect(open(order)).rejects.toMatchObject({ status: 503 });
    newStripe();
    // Nothing was asked for under the session's own key.
    expect(await state(order.offerId)).toMatchObject({ state: 'opening', session: { generation: 1 } });
    await test.setFaults({});
    expect(await open(order)).toMatchObject({ outcome: 'opened', vatMinor: '200' });
    expect(await state(order.offerId)).toMatchObject({ state: 'open', session: { generation: 1 } });
    newStripe();
    expect(await open(british())).toMatchObject({ outcome: 'opened' });
    const made = test.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/tax_rates');
    const sessions = test.requests.filter(({ body }) => body.includes('tax_rates')).slice(-2);
    const rateOf = (body: string) => new URLSearchParams(body).get('line_items[0][tax_rates][0]');
    expect(rateOf(sessions[0]?.body ?? '')).toMatch(/^txr_/);
    expect(rateOf(sessions[1]?.body ?? '')).toBe(rateOf(sessions[0]?.body ?? ''));
    expect(made.length).toBeGreaterThan(1);
  });
});

describe('closing', () => {
  it('whose connection is cut after the session was expired is closed', async () => {
    const offer = await test.openOffer();
    await test.setFaults({ failExpire: 'cut', failTimes: 1 });
    expect(await closeCheckout(billing, offer, stripeDeadline())).toBe('closed');
  });

  it.each(['error', 'busy', 'slow'] as const)(
    'that meets %s is unknown, and a payment still counts',
    async (failExpire) => {
      const offer = await test.openOffer();
      await test.setFaults({ failExpire, retryAfterSeconds: 30, slowMs: 30_000 });
      // What is slow has been done: then the page can no longer be paid, although nobody here knows.
      const closing = await closeCheckout(billing, offer, createDeadline(1_500));
      expect(closing).toBe('unknown');
      await test.setFaults({});
      const isPaid = await test.pay(offer.sessionId);
      expect(isPaid).toBe(failExpire !== 'slow');
      expect(await closeCheckout(billing, offer, stripeDeadline())).toBe(isPaid ? 'paid' : 'closed');
    },
  );
});

describe('the breaker', () => {
  /** For two seconds: what needs it open begins anew where the machine stood still for as long. */
  async function openBreaker(): Promise<void> {
    await test.setFaults({ failCreate: 'down' });
    for (let count = 0; count < 6 && !stripe.TEST.breaker.isOpen(); count += 1) {
      await open(newOrder()).catch(() => {});
    }
    expect(stripe.TEST.breaker.isOpen()).toBe(true);
  }

  it('opens when Stripe does not answer: creations get 503 at once, and Stripe is left alone', async () => {
    await eventually(async () => {
      await openBreaker();
      const before = createCalls();
      await inTime(1_900, () =>
        expect(open(newOrder())).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2 }),
      );
      expect(createCalls()).toBe(before);
    });
  });

  it('keeps no open page from its payer, fails only where a session must be opened, and leaves the other mode alone', async () => {
    const follow = (payToken: string) => followPaymentLink(billing, payToken, stripeDeadline());
    await eventually(async () => {
      await test.setFaults({});
      const waiting = await test.openOffer();
      const expired = await test.openOffer();
      await openBreaker();
      expect(await follow(waiting.payToken)).toMatchObject({ kind: 'session' });
      await test.setFaults({});
      expect(await open(newOrder({ book: test.newBook({ mode: 'LIVE' }) }))).toMatchObject({
        outcome: 'opened',
      });
      test.clock.advance(24 * 3_600_000);
      await expect(follow(expired.payToken)).rejects.toMatchObject({ status: 503 });
    });
  });

  it('lets calls through again two seconds later, when Stripe is back', async () => {
    const order = await eventually(async () => {
      await openBreaker();
      await test.setFaults({});
      const refused = newOrder();
      await expect(open(refused)).rejects.toMatchObject({ status: 503 });
      return refused;
    });
    await eventually(async () => expect(await open(order)).toMatchObject({ outcome: 'opened' }));
    expect(stripe.TEST.breaker.isOpen()).toBe(false);
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it.each(['declined', 'busy', 'too_small'] as const)(
    'does not mind %s, which is an answer',
    async (failCreate) => {
      await test.setFaults({ failCreate, retryAfterSeconds: 30 });
      for (let count = 0; count < 12; count += 1) await open(newOrder()).catch(() => {});
      expect(stripe.TEST.breaker.isOpen()).toBe(false);
    },
  );
});
