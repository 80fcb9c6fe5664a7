import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { lookAtPaymentLink } from '../../src/payments/follow-payment-link.ts';
import { findPayment } from '../../src/payments/payments-store.ts';
import { MINUTE_MS, useBilling } from '../billing-under-test.ts';

const test = useBilling();

const endsIn = (ms: number) => ({ offerExpiryAt: new Date(test.clock.now().getTime() + ms) });
const sessionAtStripe = (sessionId: string) =>
  test.billing.stripe.TEST.client.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] });

describe('a checkout', () => {
  it('has one line at the net price, named for the offer, and VAT on top for UK organisations', async () => {
    const { sessionId, offerId, book, reply } = await test.openOffer({ netMinor: 12_34n });
    expect(reply).toMatchObject({ netMinor: '1234', vatMinor: '247' });
    const session = await sessionAtStripe(sessionId);
    expect(session).toMatchObject({ currency: 'gbp', amount_subtotal: 1234, amount_total: 1481 });
    expect(session.line_items?.data).toMatchObject([{ description: 'Two for one', amount_subtotal: 1234 }]);
    const ids = { offer_id: `${offerId}`, organisation_id: `${book.organisationId}` };
    expect(session.metadata).toEqual({ ...ids, mode: 'TEST', generation: '1' });
  });

  it('has no VAT for other organisations', async () => {
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
    expect(rates.data).toMatchObject([{ percentage: 20, inclusive: false, country: 'GB' }]);
  });

  it('is one session behind one link, even for ten requests at once', async () => {
    const order = test.newOrder();
    const replies = await Promise.all(Array.from({ length: 10 }, () => test.open(order)));
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    await expect(test.open({ ...order, netMinor: 11_00n })).rejects.toMatchObject({ status: 409 });
    await expect(test.open({ ...order, book: test.newBook() })).rejects.toMatchObject({ status: 409 });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });

  it('below the provider’s minimum is refused with the minimum, by us or by Stripe, and leaves nothing behind', async () => {
    const [small, order] = [test.newOrder({ netMinor: 29n }), test.newOrder()];
    const refused = { outcome: 'refused', reason: 'below-minimum', minimumMinor: '30' };
    expect(await test.open(small)).toEqual(refused);
    await test.setFaults({ failCreate: 'too_small' });
    expect(await test.open(order)).toEqual(refused);
    for (const { offerId } of [small, order])
      expect(await findPayment(test.billing.postgres, { kind: 'offer', id: offerId })).toBeUndefined();
  });

  it('above eight digits with its VAT is refused', async () => {
    const refused = { outcome: 'refused', reason: 'above-maximum', minimumMinor: null };
    const open = (netMinor: bigint, country = 'GB') => test.open(test.newOrder({ netMinor, country }));
    expect(await open(83_333_333n)).toEqual(refused);
    expect(await open(83_333_332n)).toMatchObject({ outcome: 'opened' });
    expect(await open(100_000_000n, 'DE')).toEqual(refused);
  });

  it('in a currency that is not billed is refused, and never billed a hundredfold', async () => {
    const order = test.newOrder({ book: test.newBook({ currency: 'JPY' }) });
    await expect(test.open(order)).rejects.toMatchObject({ status: 400 });
  });

  it('that was not opened because Stripe was down goes on with the next generation when its session would be too short', async () => {
    const order = test.newOrder(endsIn(30 * MINUTE_MS));
    await test.setFaults({ failCreate: 'down' });
    await expect(test.open(order)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2 });
    await test.setFaults({});
    test.clock.advance(5 * MINUTE_MS);
    // The breaker may still be open.
    await eventually(async () => expect(await test.open(order)).toMatchObject({ outcome: 'opened' }));
    expect(await test.checkout(order)).toMatchObject({ state: 'open', session: { generation: 2 } });
    expect(test.sessionsOf(order.offerId)).toHaveLength(1);
  });
});

describe('the payment link', () => {
  it('leads everybody to the same open session, and to one new session after that has expired', async () => {
    const offer = await test.openOffer();
    const follow = async () => {
      const met = await Promise.all(Array.from({ length: 8 }, () => test.follow(offer)));
      expect(new Set(met.map((page) => ('url' in page ? page.url : page.kind))).size).toBe(1);
      return met[0];
    };
    const sessionUrl = (id: string) => ({ kind: 'session', url: expect.stringContaining(id) });
    expect(await follow()).toMatchObject(sessionUrl(offer.sessionId));
    test.clock.advance(DAY_MS);
    const next = await follow();
    const sessions = test.sessionsOf(offer.offerId);
    expect([sessions.length, sessions[0]]).toEqual([2, offer.sessionId]);
    expect(next).toMatchObject(sessionUrl(sessions[1] ?? '-'));
  });

  it('opens nothing for those who only look', async () => {
    const { payToken, offerId } = await test.openOffer();
    test.clock.advance(DAY_MS);
    expect(await lookAtPaymentLink(test.billing, payToken)).toMatchObject({ kind: 'unavailable' });
    expect(test.sessionsOf(offerId)).toHaveLength(1);
  });

  it('finds a payment of the last second whose webhook never came, and does not ask for a second payment', async () => {
    const offer = await test.openOffer();
    await test.payUnheard(offer.sessionId);
    test.clock.advance(DAY_MS);
    expect(await test.follow(offer)).toMatchObject({ kind: 'paid' });
    expect(test.sessionsOf(offer.offerId)).toHaveLength(1);
    expect(await test.emitted(OfferPaid, { offerId: offer.offerId })).toHaveLength(1);
  });

  it('opens no second session while Stripe still takes money for the first, whatever our clock says', async () => {
    const offer = await test.openOffer();
    const past = new Date(test.clock.now().getTime() - 1_000);
    await test.billing.postgres.query('UPDATE payments SET session_expires_at = $2 WHERE offer_id = $1', [
      offer.offerId,
      past,
    ]);
    expect(await test.follow(offer)).toMatchObject({ kind: 'unavailable' });
    expect(test.sessionsOf(offer.offerId)).toHaveLength(1);
  });

  it('leads nowhere after the offer’s end, or with an unknown token', async () => {
    const offer = await test.openOffer(endsIn(60 * MINUTE_MS));
    test.clock.advance(60 * MINUTE_MS);
    expect(await test.follow(offer)).toMatchObject({ kind: 'ended' });
    expect(await test.follow({ payToken: 'a'.repeat(32) })).toEqual({ kind: 'unknown' });
  });
});
