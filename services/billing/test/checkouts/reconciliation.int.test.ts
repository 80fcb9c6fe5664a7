import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { Stripe } from 'stripe';
import type { Billing } from '../../src/billing.ts';
import { changeCheckout } from '../../src/checkouts/checkouts-store.ts';
import { closeCheckout } from '../../src/checkouts/close-checkout.ts';
import { followPaymentLink } from '../../src/checkouts/follow-payment-link.ts';
import { reconcileCheckouts } from '../../src/checkouts/reconcile.ts';
import { closing, sessionExpired } from '../../src/domain/payments/checkout.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { latestProblems } from '../../src/webhooks/provider-events-store.ts';
import { receiveWebhook } from '../../src/webhooks/receive-webhook.ts';
import { type BillingUnderTest, startBillingUnderTest } from '../billing-under-test.ts';

const MINUTE_MS = 60_000;

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
  test.webhooks.lost = true;
});
afterEach(() => test.setFaults({}));
afterAll(() => test.finish());

const reconcile = (billing = test.billing) =>
  reconcileCheckouts(billing, new AbortController().signal, { roundMs: 60_000, pauseMs: 0 });
const state = async (offerId: number) => (await test.cardPayment(offerId)).checkout.state;

describe('a webhook that never came', () => {
  it('of a payment only delays: the payment is found by asking, and booked once', async () => {
    const { offerId, sessionId } = await test.openOffer();
    await test.pay(sessionId);
    await reconcile();
    expect(await state(offerId)).toBe('open');
    test.clock.advance(5 * MINUTE_MS);
    await reconcile();
    await reconcile();
    expect(await state(offerId)).toBe('paid');
    const paid = (await test.emitted(OfferPaid)).filter((event) => event.offerId === offerId);
    expect(paid).toHaveLength(1);
  });

  it('of an expiry only delays', async () => {
    const { offerId } = await test.openOffer();
    test.clock.advance(24 * 60 * MINUTE_MS);
    await reconcile();
    expect((await test.cardPayment(offerId)).checkout.session.expired).toBe(true);
  });
});

it('the page of an offer that has ended unpaid is closed, as soon as Stripe allows it', async () => {
  const { offerId, sessionId } = await test.openOffer({
    offerExpiryAt: new Date(test.clock.now().getTime() + 10 * MINUTE_MS),
  });
  test.clock.advance(10 * MINUTE_MS);
  await test.setFaults({ failExpire: 'down' });
  await reconcile();
  expect(await state(offerId)).toBe('open');
  await test.setFaults({});
  test.clock.advance(MINUTE_MS);
  await reconcile();
  expect(await state(offerId)).toBe('closed');
  expect(await test.pay(sessionId)).toBe(false);
});

describe('a closing whose process died', () => {
  async function strand(offerId: number): Promise<void> {
    await changeCheckout(test.billing, { purchase: { kind: 'offer', offerId } }, closing);
  }

  it('leaves a page that can be paid again a minute later', async () => {
    const offer = await test.openOffer();
    const follow = () => followPaymentLink(test.billing, offer.payToken, stripeDeadline());
    await strand(offer.offerId);
    await reconcile();
    expect(await follow()).toEqual({ kind: 'unavailable', of: 'offer' });
    test.clock.advance(MINUTE_MS);
    await reconcile();
    expect(await follow()).toMatchObject({ kind: 'session' });
  });

  it('does so even when the session was over already', async () => {
    const offer = await test.openOffer();
    await strand(offer.offerId);
    await changeCheckout(test.billing, offer, (checkout) => sessionExpired(checkout, 1));
    test.clock.advance(MINUTE_MS);
    await reconcile();
    expect(await followPaymentLink(test.billing, offer.payToken, stripeDeadline())).toMatchObject({
      kind: 'session',
    });
  });
});

describe('however much is due', () => {
  /** The offers run for so many minutes, in turns. */
  async function openMany(count: number, mode: Mode, minutes = [40, 20_000]): Promise<number[]> {
    const offerIds: number[] = [];
    for (let opened = 0; opened < count; opened += 1) {
      const endsAt = test.clock.now().getTime() + minutes[opened % minutes.length]! * MINUTE_MS;
      const facts = { book: test.newBook({ mode }), offerExpiryAt: new Date(endsAt) };
      offerIds.push((await test.openOffer(facts)).offerId);
    }
    return offerIds;
  }
  const waiting = async (offerIds: readonly number[]) => {
    const payments = await Promise.all(offerIds.map((offerId) => test.cardPayment(offerId)));
    return payments.filter(
      ({ checkout: { session, state, expiryAt } }) =>
        !session.expired || (state === 'open' && expiryAt <= test.clock.now()),
    ).length;
  };

  it('one round sees to all of it', async () => {
    const offerIds = await openMany(130, 'TEST');
    test.clock.advance(24 * 60 * MINUTE_MS);
    await reconcile();
    expect(await waiting(offerIds)).toBe(0);
  });

  it('replicas share it: Stripe is asked once about each', async () => {
    const offerIds = await openMany(60, 'TEST', [20_000]);
    test.clock.advance(24 * 60 * MINUTE_MS);
    const before = test.requests.length;
    await Promise.all([reconcile(), reconcile()]);
    expect(await waiting(offerIds)).toBe(0);
    expect(test.requests.length - before).toBe(60);
  });

  it('stays due while the account that it belongs to does not answer, and the other goes on', async () => {
    const away = await openMany(3, 'TEST');
    const answering = await openMany(3, 'LIVE');
    test.clock.advance(24 * 60 * MINUTE_MS);
    const { stripe } = test.billing;
    const breaker = { ...stripe.TEST.breaker, isOpen: () => true };
    await reconcile({ ...test.billing, stripe: { ...stripe, TEST: { ...stripe.TEST, breaker } } });
    expect([await waiting(away), await waiting(answering)]).toEqual([3, 0]);
    await reconcile();
    expect(await waiting(away)).toBe(0);
  });

  it('a round ends when its time is over, and what is left is seen to by the next', async () => {
    const offerIds = await openMany(30, 'TEST');
    test.clock.advance(24 * 60 * MINUTE_MS);
    const { signal } = new AbortController();
    await reconcileCheckouts(test.billing, signal, { roundMs: 0, pauseMs: 0 });
    expect(await waiting(offerIds)).toBeGreaterThan(0);
    await reconcile();
    expect(await waiting(offerIds)).toBe(0);
  });
});

describe('a session that is complete, and yet pays nothing,', () => {
  const DAY_MS = 24 * 60 * MINUTE_MS;
  const asked = (sessionId: string) => test.requests.filter(({ path }) => path.includes(sessionId)).length;
  const isOver = async (offerId: number) => (await test.cardPayment(offerId)).checkout.session.expired;

  /** Billing, and what it alerts of a session. */
  function watched(sessionId: string, billing = test.billing) {
    const alerts: Record<string, unknown>[] = [];
    const write = (text: string) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      if (line['sessionId'] === sessionId) alerts.push(line);
    };
    const logger = createLogger({ service: 'billing', level: 'error', destination: { write } });
    return { alerts, billing: { ...billing, logger } };
  }

  /** Many rounds, so that every question comes when it is due. */
  async function reconcileForDays(days: number, billing: Billing): Promise<void> {
    for (let hours = 0; hours < days * 24; hours += 6) {
      test.clock.advance(6 * 60 * MINUTE_MS);
      await reconcile(billing);
    }
  }

  async function paidWrongly() {
    const offer = await test.openOffer({ offerExpiryAt: new Date(test.clock.now().getTime() + 60 * DAY_MS) });
    await test.billing.postgres.query(
      'UPDATE offer_payments SET net_minor = net_minor + 1 WHERE offer_id = $1',
      [offer.offerId],
    );
    await test.pay(offer.sessionId);
    return offer;
  }

  it('because of its amount, is alerted once, asked about ever less often, and in the end no more', async () => {
    const offer = await paidWrongly();
    const { billing, alerts } = watched(offer.sessionId);
    const before = asked(offer.sessionId);
    await reconcileForDays(30, billing);
    expect(alerts).toMatchObject([{ msg: 'a card payment cannot be applied and waits for a person' }]);
    expect(asked(offer.sessionId) - before).toBeLessThan(20);
    expect(await isOver(offer.offerId)).toBe(true);
    const listed = await latestProblems(test.billing.postgres, 500);
    expect(listed.filter(({ sessionId }) => sessionId === offer.sessionId)).toHaveLength(1);
  });

  it('keeps nobody from deleting: nothing more can be paid there', async () => {
    const offer = await paidWrongly();
    const { billing, alerts } = watched(offer.sessionId);
    expect(await closeCheckout(billing, offer, stripeDeadline())).toBe('closed');
    expect(await closeCheckout(billing, offer, stripeDeadline())).toBe('closed');
    expect(alerts).toHaveLength(1);
  });

  it('is not alerted again when its webhook has told of it', async () => {
    const offer = await paidWrongly();
    const { billing, alerts } = watched(offer.sessionId);
    const webhook = await eventually(() => {
      const sent = test.webhooks.sent.find(({ body }) => body.includes(offer.sessionId));
      if (sent === undefined) throw new Error('not sent yet');
      return sent;
    });
    await receiveWebhook(billing, webhook.body, webhook.signature);
    test.clock.advance(5 * MINUTE_MS);
    await reconcile(billing);
    expect(alerts).toHaveLength(1);
  });

  it('because the payer’s bank never said yes or no, is given up in the end, with an alert', async () => {
    const offer = await test.openOffer({ offerExpiryAt: new Date(test.clock.now().getTime() + 60 * DAY_MS) });
    await test.pay(offer.sessionId);
    const { TEST } = test.billing.stripe;
    const { sessions } = TEST.client.checkout;
    const retrieve = async (...call: Parameters<typeof sessions.retrieve>) => ({
      ...(await sessions.retrieve(...call)),
      payment_status: 'unpaid',
    });
    const client = { checkout: { sessions: { retrieve } } } as unknown as typeof TEST.client;
    const { billing, alerts } = watched(offer.sessionId, {
      ...test.billing,
      stripe: { ...test.billing.stripe, TEST: { ...TEST, client } },
    });
    await reconcileForDays(9, billing);
    expect([alerts, await isOver(offer.offerId)]).toEqual([[], false]);
    const before = asked(offer.sessionId);
    await reconcileForDays(20, billing);
    expect(alerts).toMatchObject([{ purchase: offer.purchase, sessionId: offer.sessionId }]);
    expect(await isOver(offer.offerId)).toBe(true);
    expect(asked(offer.sessionId) - before).toBeLessThan(3);
  });
});

it('asks about the latest session only, and about none once it was paid', async () => {
  const offer = await test.openOffer();
  test.clock.advance(24 * 60 * MINUTE_MS);
  await followPaymentLink(test.billing, offer.payToken, stripeDeadline());
  const due = () =>
    test.billing.postgres.query(
      'SELECT generation FROM checkout_sessions WHERE offer_id = $1 AND next_check_at IS NOT NULL',
      [offer.offerId],
    );
  expect(await due()).toEqual([{ generation: 2 }]);
  await test.pay(test.sessionsOf(offer.offerId)[1] ?? '');
  test.clock.advance(5 * MINUTE_MS);
  await reconcile();
  expect(await state(offer.offerId)).toBe('paid');
  expect(await due()).toEqual([]);
});

it('pages that can never be closed keep no other from being closed, and are tried ever less often', async () => {
  const endsIn = (minutes: number) => ({
    offerExpiryAt: new Date(test.clock.now().getTime() + minutes * MINUTE_MS),
  });
  const stuck = new Set<string>();
  for (let count = 0; count < 55; count += 1) stuck.add((await test.openOffer(endsIn(40))).sessionId);
  const last = await test.openOffer(endsIn(41));
  const { TEST } = test.billing.stripe;
  const { sessions } = TEST.client.checkout;
  let expiries = 0;
  const refusal = { message: 'not for this key', statusCode: 403 } as never;
  const expire = (...call: Parameters<typeof sessions.expire>) => {
    if (!stuck.has(call[0])) return sessions.expire(...call);
    expiries += 1;
    return Promise.reject(new Stripe.errors.StripePermissionError(refusal));
  };
  const retrieve = (...call: Parameters<typeof sessions.retrieve>) =>
    stuck.has(call[0])
      ? Promise.reject(new Stripe.errors.StripePermissionError(refusal))
      : sessions.retrieve(...call);
  const client = { checkout: { sessions: { expire, retrieve } } } as unknown as typeof TEST.client;
  const billing = { ...test.billing, stripe: { ...test.billing.stripe, TEST: { ...TEST, client } } };
  test.clock.advance(42 * MINUTE_MS);
  await reconcile(billing);
  await reconcile(billing);
  expect(await state(last.offerId)).toBe('closed');

  const tries = async () => {
    const before = expiries;
    await reconcile(billing);
    await reconcile(billing);
    return expiries - before;
  };
  expect(await tries()).toBe(0);
  test.clock.advance(10 * 60 * MINUTE_MS);
  expect(await tries()).toBe(55);
  test.clock.advance(59 * MINUTE_MS);
  expect(await tries()).toBe(0);
  test.clock.advance(MINUTE_MS);
  expect(await tries()).toBe(55);
});
