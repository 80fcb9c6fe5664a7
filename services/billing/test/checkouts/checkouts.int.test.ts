import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { followPaymentLink, lookAtPaymentLink } from '../../src/checkouts/follow-payment-link.ts';
import { type CheckoutOrder, openCheckout } from '../../src/checkouts/open-checkout.ts';
import { findOfferPayment } from '../../src/checkouts/payments-store.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { type BillingUnderTest, startBillingUnderTest } from '../billing-under-test.ts';

const HOUR_MS = 3_600_000;

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterEach(async () => {
  await test.setFaults({});
  test.webhooks.lost = false;
});
afterAll(() => test.finish());

function newOrder(facts: Partial<CheckoutOrder> = {}): CheckoutOrder {
  return {
    offerId: test.newOfferId(),
    book: test.newBook(),
    country: 'GB',
    title: 'Two for one',
    netMinor: 10_00n,
    offerExpiryAt: new Date(test.clock.now().getTime() + 240 * HOUR_MS),
    ...facts,
  };
}
const open = (order: CheckoutOrder) => openCheckout(test.billing, order, stripeDeadline());
const follow = (payToken: string) => followPaymentLink(test.billing, payToken, stripeDeadline());

async function sessionAtStripe(sessionId: string) {
  return test.billing.stripe.TEST.client.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] });
}

describe('a checkout', () => {
  it('has one line at the net price, named for the offer, and VAT of its own for UK organisations', async () => {
    const { sessionId, offerId, book, reply } = await test.openOffer({ netMinor: 12_34n });
    expect(reply).toMatchObject({ netMinor: '1234', vatMinor: '247' });
    const session = await sessionAtStripe(sessionId);
    expect(session).toMatchObject({ currency: 'gbp', amount_subtotal: 1234, amount_total: 1481 });
    expect(session.line_items?.data).toMatchObject([{ description: 'Two for one', amount_subtotal: 1234 }]);
    expect(session.metadata).toEqual({
      offer_id: `${offerId}`,
      organisation_id: `${book.organisationId}`,
      mode: 'TEST',
      generation: '1',
    });
  });

  it('bears no VAT for other organisations', async () => {
    const euros = test.newBook({ currency: 'EUR' });
    const { sessionId, reply } = await test.openOffer({ book: euros, country: 'DE' });
    expect(reply).toMatchObject({ netMinor: '1000', vatMinor: '0' });
    expect(await sessionAtStripe(sessionId)).toMatchObject({ currency: 'eur', amount_total: 1000 });
  });

  it('of LIVE mode is opened with the key of LIVE mode', async () => {
    const { sessionId } = await test.openOffer({ book: test.newBook({ mode: 'LIVE' }) });
    expect(sessionId).toMatch(/^cs_live_/);
  });

  it('uses one tax rate for all', async () => {
    await test.openOffer();
    await test.openOffer();
    const rates = await test.billing.stripe.TEST.client.taxRates.list({ limit: 100 });
    expect(rates.data).toHaveLength(1);
    expect(rates.data[0]).toMatchObject({ percentage: 20, inclusive: false, country: 'GB' });
  });

  it('asked for 10 times at once is one session behind one link', async () => {
    const order = newOrder();
    const replies = await Promise.all(Array.from({ length: 10 }, () => open(order)));
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('with another price or organisation under the same id is a fault', async () => {
    const order = newOrder();
    await open(order);
    await expect(open({ ...order, netMinor: 11_00n })).rejects.toMatchObject({ status: 409 });
    await expect(open({ ...order, book: test.newBook() })).rejects.toMatchObject({ status: 409 });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('below the provider’s minimum is refused with the minimum and leaves nothing behind', async () => {
    const order = newOrder({ netMinor: 29n });
    expect(await open(order)).toEqual({ outcome: 'refused', reason: 'below-minimum', minimumMinor: '30' });
    expect(await findOfferPayment(test.billing.postgres, order.offerId)).toBeUndefined();
  });

  it('that Stripe itself finds too small is refused likewise', async () => {
    await test.setFaults({ failCreate: 'too_small' });
    const order = newOrder();
    expect(await open(order)).toMatchObject({ outcome: 'refused', reason: 'below-minimum' });
    expect(await findOfferPayment(test.billing.postgres, order.offerId)).toBeUndefined();
  });

  it('that comes to more than eight digits with its VAT is refused, whoever asks Stripe', async () => {
    const refused = { outcome: 'refused', reason: 'above-maximum', minimumMinor: null };
    expect(await open(newOrder({ netMinor: 83_333_333n }))).toEqual(refused);
    expect(await open(newOrder({ netMinor: 83_333_332n }))).toMatchObject({ outcome: 'opened' });
    expect(await open(newOrder({ netMinor: 100_000_000n, country: 'DE' }))).toEqual(refused);
  });

  it('in a currency that is not billed is refused, never billed a hundredfold', async () => {
    const order = newOrder({ book: test.newBook({ currency: 'JPY' }) });
    await expect(open(order)).rejects.toMatchObject({ status: 400 });
  });
});

describe('while Stripe is down', () => {
  it('a checkout fails with a 503, and the repeat opens one session', async () => {
    const order = newOrder();
    await test.setFaults({ failCreate: 'down' });
    await expect(open(order)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2 });
    await test.setFaults({});
    // The breaker may still be open.
    await eventually(async () => expect(await open(order)).toMatchObject({ outcome: 'opened' }));
    expect(await open(order)).toMatchObject({ outcome: 'opened' });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('for so long that the session would be too short, the repeat goes on with the next generation', async () => {
    const order = newOrder({ offerExpiryAt: new Date(test.clock.now().getTime() + HOUR_MS / 2) });
    await test.setFaults({ failCreate: 'down' });
    await expect(open(order)).rejects.toMatchObject({ status: 503 });
    await test.setFaults({});
    test.clock.advance(5 * 60_000);
    await eventually(async () => expect(await open(order)).toMatchObject({ outcome: 'opened' }));
    expect(await test.cardPayment(order.offerId)).toMatchObject({
      checkout: { state: 'open', session: { generation: 2 } },
    });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });
});

describe('the payment link', () => {
  it('leads to the open session, the same for everybody', async () => {
    const { payToken, offerId } = await test.openOffer();
    const [one, other] = await Promise.all([follow(payToken), follow(payToken)]);
    expect(one).toMatchObject({ kind: 'session', url: expect.stringContaining('/c/pay/cs_test_') });
    expect(other).toEqual(one);
    expect(test.sessionsOf(offerId)).toHaveLength(1);
  });

  it('leads to one fresh session after the last has expired, however many follow it at once', async () => {
    const { payToken, offerId, sessionId } = await test.openOffer();
    test.clock.advance(24 * HOUR_MS);
    const met = await Promise.all(Array.from({ length: 8 }, () => follow(payToken)));
    expect(new Set(met.map((page) => JSON.stringify(page))).size).toBe(1);
    const sessions = test.sessionsOf(offerId);
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toBe(sessionId);
    expect(met[0]).toMatchObject({ kind: 'session', url: expect.stringContaining(sessions[1] ?? '-') });
  });

  it('opens nothing for those who only look', async () => {
    const { payToken, offerId } = await test.openOffer();
    test.clock.advance(24 * HOUR_MS);
    expect(await lookAtPaymentLink(test.billing, payToken)).toEqual({ kind: 'unavailable', of: 'offer' });
    expect(test.sessionsOf(offerId)).toHaveLength(1);
  });

  it('finds the payment of the last second, whose webhook never came, instead of asking for it again', async () => {
    const { payToken, offerId, sessionId } = await test.openOffer();
    test.webhooks.lost = true;
    expect(await test.pay(sessionId)).toBe(true);
    test.clock.advance(24 * HOUR_MS);
    expect(await follow(payToken)).toEqual({ kind: 'paid', of: 'offer' });
    expect(test.sessionsOf(offerId)).toHaveLength(1);
    expect((await test.emitted(OfferPaid)).filter((paid) => paid.offerId === offerId)).toHaveLength(1);
  });

  it('opens no second session beside one that Stripe still takes money for, whatever our clock says', async () => {
    const { payToken, offerId } = await test.openOffer();
    const past = new Date(test.clock.now().getTime() - 1_000);
    await test.billing.postgres.query('UPDATE checkout_sessions SET expires_at = $2 WHERE offer_id = $1', [
      offerId,
      past,
    ]);
    expect(await follow(payToken)).toEqual({ kind: 'unavailable', of: 'offer' });
    expect(test.sessionsOf(offerId)).toHaveLength(1);
  });

  it('of an offer that has ended leads nowhere', async () => {
    const { payToken } = await test.openOffer({
      offerExpiryAt: new Date(test.clock.now().getTime() + HOUR_MS),
    });
    test.clock.advance(HOUR_MS);
    expect(await follow(payToken)).toEqual({ kind: 'ended', of: 'offer' });
  });

  it('that nobody was given is unknown', async () => {
    expect(await follow('a'.repeat(32))).toEqual({ kind: 'unknown' });
  });

  it('fails with a 503 when a session must be opened and Stripe is down, and works again after', async () => {
    const { payToken, offerId } = await test.openOffer();
    test.clock.advance(24 * HOUR_MS);
    await test.setFaults({ failCreate: 'down' });
    await expect(follow(payToken)).rejects.toMatchObject({ status: 503 });
    await test.setFaults({});
    await eventually(async () => expect(await follow(payToken)).toMatchObject({ kind: 'session' }));
    expect(test.sessionsOf(offerId)).toHaveLength(2);
  });
});
