import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import type { Billing } from '../../src/billing.ts';
import { closeCheckout } from '../../src/payments/close-checkout.ts';
import { followPaymentLink } from '../../src/payments/follow-payment-link.ts';
import { type CheckoutOrder, openCheckout } from '../../src/payments/open-checkout.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { useBilling } from '../billing-under-test.ts';

const test = useBilling();
let stripe: ReturnType<typeof test.openAccounts>;
let billing: Billing;

/** With breakers that are closed, and nothing remembered. */
function startAnew(): void {
  stripe = test.openAccounts();
  billing = { ...test.billing, stripe };
}
const dispose = () => stripe[Symbol.dispose]();
beforeEach(startAnew);
afterEach(dispose);

const newOrder = (facts: Partial<CheckoutOrder> = {}) => test.newOrder({ country: 'DE', ...facts });
const open = (order: CheckoutOrder, budgetMs = 8_000) =>
  openCheckout(billing, order, createDeadline(budgetMs));
const callsOf = (path: string) =>
  test.requests.filter((request) => request.method === 'POST' && request.path === path);
const createCalls = () => callsOf('/v1/checkout/sessions').length;
/** The next attempt opens the only session that was ever made. */
async function expectOneSession(order: CheckoutOrder): Promise<void> {
  await test.setFaults({});
  expect(await open(order)).toMatchObject({ outcome: 'opened' });
  expect(test.sessionsOf(order.offerId)).toHaveLength(1);
}

describe('opening a session', () => {
  it.each(['cut', 'torn'] as const)(
    'is repeated when the answer is %s after Stripe made it, and finds the same session',
    async (how) => {
      const order = newOrder();
      await test.setFaults({ failCreate: how, failTimes: 1 });
      expect(await open(order)).toMatchObject({ outcome: 'opened' });
      expect(test.sessionsOf(order.offerId)).toHaveLength(1);
    },
  );

  it('is a 503 when the connection is cut every time; the next request gets the one session that was made', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'cut' });
    await expect(open(order)).rejects.toMatchObject({ status: 503 });
    await expectOneSession(order);
  });

  it('is a 503 within the budget when Stripe is slow, and no second session follows', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'slow', slowMs: 30_000 });
    await inTime(1_800, () => expect(open(order, 800)).rejects.toMatchObject({ status: 503 }));
    await expectOneSession(order);
  });

  it('goes on with the next generation when Stripe has stored a 500 under the first one’s key', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'error', failTimes: 1 });
    // The repeat gets the stored failure.
    await expect(open(order)).rejects.toMatchObject({ status: 503 });
    await expectOneSession(order);
    expect(await test.checkout(order)).toMatchObject({ state: 'open', session: { generation: 2 } });
  });

  it('makes no session when Stripe declines it with 402: closing needs none then', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'declined' });
    const before = createCalls();
    await expect(open(order)).rejects.toMatchObject({ status: 500 });
    expect(createCalls() - before).toBe(1);
    expect(await test.close(order, undefined, billing)).toBe('closed');
    expect(test.sessionsOf(order.offerId)).toEqual([]);
  });

  it('waits as long as a 429 says, if that is within the budget', async () => {
    await test.setFaults({ failCreate: 'busy', retryAfterSeconds: 1, failTimes: 1 });
    const startedAt = performance.now();
    expect(await open(newOrder())).toMatchObject({ outcome: 'opened' });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
  });

  it('does not wait when a 429 asks for more than the budget, and tells the caller when to come back', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'busy', retryAfterSeconds: 30 });
    const before = createCalls();
    await expect(open(order)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 30 });
    expect(createCalls() - before).toBe(1);
    await expectOneSession(order);
  });

  it('never uses another key for a repeat: ten callers in a storm of faults get one session', async () => {
    const order = newOrder();
    for (const failCreate of ['cut', 'down', 'busy', 'cut'] as const) {
      await test.setFaults({ failCreate, failTimes: 3, retryAfterSeconds: 0 });
      await Promise.allSettled(Array.from({ length: 10 }, () => open(order)));
    }
    dispose();
    startAnew();
    await expectOneSession(order);
  });
});

it('when Stripe stores a 500 for the first tax rate, this creation and all later ones use a rate under another key', async () => {
  // No other test asks for VAT in this mode.
  const british = () => newOrder({ country: 'GB', book: test.newBook({ mode: 'LIVE' }) });
  const [order, next] = [british(), british()];
  await test.setFaults({ failRate: 'error' });
  await expect(open(order)).rejects.toMatchObject({ status: 503 });
  dispose();
  startAnew();
  // Nothing was asked for under the session's own key.
  expect(await test.checkout(order)).toMatchObject({ state: 'opening', session: { generation: 1 } });
  await test.setFaults({});
  expect(await open(order)).toMatchObject({ outcome: 'opened', vatMinor: '200' });
  expect(await test.checkout(order)).toMatchObject({ state: 'open', session: { generation: 1 } });
  dispose();
  startAnew();
  expect(await open(next)).toMatchObject({ outcome: 'opened' });
  const rates = callsOf('/v1/checkout/sessions')
    .slice(-2)
    .map(({ body }) => new URLSearchParams(body).get('line_items[0][tax_rates][0]'));
  expect(rates).toEqual([expect.stringMatching(/^txr_/), rates[0]]);
  expect(callsOf('/v1/tax_rates').length).toBeGreaterThan(1);
});

describe('closing', () => {
  it('is closed when the connection is cut after the session was expired', async () => {
    const offer = await test.openOffer();
    await test.setFaults({ failExpire: 'cut', failTimes: 1 });
    expect(await test.close(offer, undefined, billing)).toBe('closed');
  });

  it.each(['error', 'busy', 'slow'] as const)(
    'is unknown when Stripe answers with %s, and a payment still counts',
    async (failExpire) => {
      const offer = await test.openOffer();
      await test.setFaults({ failExpire, retryAfterSeconds: 30, slowMs: 30_000 });
      expect(await closeCheckout(billing, offer, createDeadline(800))).toBe('unknown');
      await test.setFaults({});
      // The slow answer is of an expiry that was done: nobody can pay any more, although billing does not know.
      const isPaid = await test.pay(offer.sessionId);
      expect(isPaid).toBe(failExpire !== 'slow');
      expect(await test.close(offer, undefined, billing)).toBe(isPaid ? 'paid' : 'closed');
    },
  );
});

describe('the breaker', () => {
  /** For two seconds. A test that finds it closed again, on a machine that stood still, opens it once more. */
  async function openBreaker(): Promise<void> {
    await test.setFaults({ failCreate: 'down' });
    for (let count = 0; count < 6 && !stripe.TEST.breaker.isOpen(); count += 1) {
      await open(newOrder()).catch(() => {});
    }
    expect(stripe.TEST.breaker.isOpen()).toBe(true);
  }

  it('opens when Stripe does not answer: creations get 503 without a call, until it lets one through after two seconds', async () => {
    const order = await eventually(async () => {
      await openBreaker();
      const refused = newOrder();
      const before = createCalls();
      await inTime(1_900, () =>
        expect(open(refused)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2 }),
      );
      expect(createCalls()).toBe(before);
      return refused;
    });
    await test.setFaults({});
    await eventually(async () => expect(await open(order)).toMatchObject({ outcome: 'opened' }));
    expect(stripe.TEST.breaker.isOpen()).toBe(false);
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('still gives payers an open page, fails only where a session must be opened, and leaves the other mode alone', async () => {
    const follow = (payToken: string) => followPaymentLink(billing, payToken, stripeDeadline());
    await eventually(async () => {
      await test.setFaults({});
      const [waiting, expired] = [await test.openOffer(), await test.openOffer()];
      await openBreaker();
      expect(await follow(waiting.payToken)).toMatchObject({ kind: 'session' });
      await test.setFaults({});
      const live = newOrder({ book: test.newBook({ mode: 'LIVE' }) });
      expect(await open(live)).toMatchObject({ outcome: 'opened' });
      test.clock.advance(DAY_MS);
      await expect(follow(expired.payToken)).rejects.toMatchObject({ status: 503 });
    });
  });

  it.each(['declined', 'busy', 'too_small'] as const)(
    'does not count an answer as a failure: %s',
    async (failCreate) => {
      await test.setFaults({ failCreate, retryAfterSeconds: 30 });
      for (let count = 0; count < 12; count += 1) await open(newOrder()).catch(() => {});
      expect(stripe.TEST.breaker.isOpen()).toBe(false);
    },
  );
});
