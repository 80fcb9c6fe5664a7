import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { changeCheckout } from '../../src/checkouts/checkouts-store.ts';
import { closeCheckout, keepCheckout } from '../../src/checkouts/close-checkout.ts';
import { followPaymentLink } from '../../src/checkouts/follow-payment-link.ts';
import { openCheckout } from '../../src/checkouts/open-checkout.ts';
import { reconcileCheckouts } from '../../src/checkouts/reconcile.ts';
import { resolveCharge } from '../../src/checkouts/resolve-charge.ts';
import { closing } from '../../src/domain/payments/checkout.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { type BillingUnderTest, startBillingUnderTest } from '../billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterEach(async () => {
  await test.setFaults({});
  test.webhooks.lost = false;
});
afterAll(() => test.finish());

type Offer = Awaited<ReturnType<BillingUnderTest['openOffer']>>;
const close = (offer: Pick<Offer, 'offerId' | 'book'>) =>
  closeCheckout(test.billing, offer, stripeDeadline());
const settle = (offer: Pick<Offer, 'offerId' | 'book'>) =>
  resolveCharge(test.billing, offer, stripeDeadline());
const follow = ({ payToken }: Offer) => followPaymentLink(test.billing, payToken, stripeDeadline());
const paidEvents = async (offerId: number) =>
  (await test.emitted(OfferPaid)).filter((event) => event.offerId === offerId);

/** As after a change to the key of another account: Stripe knows the session no longer. */
async function forgottenOffer() {
  const offer = await test.openOffer();
  const known = `cs_of_another_account_${offer.offerId}`;
  await test.billing.postgres.query(
    'UPDATE checkout_sessions SET session_id = $2, next_check_at = $3 WHERE offer_id = $1',
    [offer.offerId, known, test.clock.now()],
  );
  const { expiresAt } = (await test.cardPayment(offer.offerId)).checkout.session;
  /** Minutes after the session's own end. */
  const until = (minutes: number) =>
    test.clock.advance(expiresAt.getTime() - test.clock.now().getTime() + minutes * 60_000);
  return { ...offer, until };
}

describe('a session that Stripe does not know', () => {
  it('may still be paid in another account until its end, so its page is not closed before', async () => {
    const offer = await forgottenOffer();
    expect(await close(offer)).toBe('unknown');
    expect(await settle(offer)).toEqual({ outcome: 'unknown' });
    offer.until(9);
    expect(await close(offer)).toBe('unknown');
    expect((await test.cardPayment(offer.offerId)).checkout.state).toBe('open');
  });

  it('is over ten minutes after its end: a deletion closes its page, and an unfinished creation is settled', async () => {
    const [deleted, unfinished] = [await forgottenOffer(), await forgottenOffer()];
    unfinished.until(11);
    expect(await close(deleted)).toBe('closed');
    expect(await settle(unfinished)).toEqual({ outcome: 'closed' });
    expect(await follow(deleted)).toEqual({ kind: 'closed', of: 'offer' });
  });

  it('is then followed by another one, for whoever opens the link', async () => {
    const offer = await forgottenOffer();
    offer.until(9);
    expect(await follow(offer)).toMatchObject({ kind: 'unavailable' });
    offer.until(11);
    expect(await follow(offer)).toMatchObject({ kind: 'session' });
    expect((await test.cardPayment(offer.offerId)).checkout.session.generation).toBe(2);
  });

  it('is then asked about no more', async () => {
    const offer = await forgottenOffer();
    const reconcile = () => reconcileCheckouts(test.billing, new AbortController().signal);
    await reconcile();
    expect((await test.cardPayment(offer.offerId)).checkout.session.expired).toBe(false);
    offer.until(24 * 60);
    await reconcile();
    expect((await test.cardPayment(offer.offerId)).checkout.session.expired).toBe(true);
  });
});

describe('closing', () => {
  it('makes sure that the page can never be paid again', async () => {
    const offer = await test.openOffer();
    expect(await close(offer)).toBe('closed');
    expect(await test.pay(offer.sessionId)).toBe(false);
    expect(await follow(offer)).toEqual({ kind: 'closed', of: 'offer' });
  });

  it('twice is closing once, also at the same time', async () => {
    const offer = await test.openOffer();
    expect(await Promise.all([close(offer), close(offer)])).toEqual(['closed', 'closed']);
    expect(await close(offer)).toBe('closed');
  });

  it('finds the payment that came first and records it at once, webhook or not', async () => {
    const offer = await test.openOffer();
    test.webhooks.lost = true;
    await test.pay(offer.sessionId);
    expect(await close(offer)).toBe('paid');
    expect(await paidEvents(offer.offerId)).toHaveLength(1);
    expect(await follow(offer)).toEqual({ kind: 'paid', of: 'offer' });
  });

  it('that the payer beats by a moment is a payment', async () => {
    const offer = await test.openOffer();
    await test.setFaults({ failExpire: 'complete' });
    expect(await close(offer)).toBe('paid');
    await eventually(async () => expect(await paidEvents(offer.offerId)).toHaveLength(1));
  });

  it('is unknown while Stripe is down; the page can be paid on, or closed later', async () => {
    const offer = await test.openOffer();
    await test.setFaults({ failExpire: 'down' });
    expect(await close(offer)).toBe('unknown');
    expect(await follow(offer)).toMatchObject({ kind: 'session' });
    await test.setFaults({});
    // The breaker may still be open.
    await eventually(async () => expect(await close(offer)).toBe('closed'));
  });

  it('of a checkout whose opening was never answered expires the session that may be on its way', async () => {
    const order = { ...(await test.openOffer()), offerId: test.newOfferId() };
    await test.setFaults({ failCreate: 'down' });
    await expect(openCheckout(test.billing, order, stripeDeadline())).rejects.toMatchObject({ status: 503 });
    expect(await close(order)).toBe('unknown');
    expect((await test.cardPayment(order.offerId)).checkout.state).toBe('opening');
    await test.setFaults({});
    // The breaker may still be open.
    await eventually(async () => expect(await close(order)).toBe('closed'));
    const [onlySession] = test.sessionsOf(order.offerId);
    expect(await test.pay(onlySession ?? '')).toBe(false);
    expect(await openCheckout(test.billing, order, stripeDeadline())).toMatchObject({ reason: 'closed' });
  });

  it('keeps the same offer from being sold anew until it has come to an end', async () => {
    const offer = await test.openOffer();
    await changeCheckout(test.billing, offer, closing);
    await expect(openCheckout(test.billing, offer, stripeDeadline())).rejects.toMatchObject({ status: 503 });
    expect(await close(offer)).toBe('closed');
  });

  it('after the session has expired by itself needs no answer of Stripe', async () => {
    const offer = await test.openOffer();
    test.clock.advance(24 * 3_600_000);
    test.expireDueSessions();
    await eventually(async () =>
      expect((await test.cardPayment(offer.offerId)).checkout.session.expired).toBe(true),
    );
    await test.setFaults({ failExpire: 'down' });
    expect(await close(offer)).toBe('closed');
  });

  it('for another organisation is a fault', async () => {
    const { offerId } = await test.openOffer();
    await expect(close({ offerId, book: test.newBook() })).rejects.toMatchObject({ status: 409 });
  });
});

describe('a deletion that is taken back', () => {
  const closeFor = (offer: Offer, deletion: number) =>
    closeCheckout(test.billing, offer, stripeDeadline(), deletion);
  const keep = (offer: Offer, deletion: number) => keepCheckout(test.billing, offer, deletion);

  it('leaves a link that leads to a fresh session, which can be paid', async () => {
    const offer = await test.openOffer();
    expect(await closeFor(offer, 1)).toBe('closed');
    expect(await keep(offer, 1)).toBe('open');
    const met = await follow(offer);
    expect(met).toMatchObject({ kind: 'session' });
    const [first, second, ...others] = test.sessionsOf(offer.offerId);
    expect(others).toEqual([]);
    expect(await test.pay(first!)).toBe(false);
    expect(await test.pay(second!)).toBe(true);
    await eventually(async () => expect(await paidEvents(offer.offerId)).toHaveLength(1));
    expect(await keep(offer, 1)).toBe('paid');
  });

  it('changes nothing after a later deletion, an end or a settling, which found the page closed', async () => {
    for (const later of [(offer: Offer) => closeFor(offer, 2), close, settle]) {
      const offer = await test.openOffer();
      await closeFor(offer, 1);
      await later(offer);
      expect(await keep(offer, 1)).toBe('closed');
      expect(await follow(offer)).toEqual({ kind: 'closed', of: 'offer' });
    }
  });

  it('and its request to close in any order, many times: the page can be paid', async () => {
    for (let round = 0; round < runs(10, 300); round += 1) {
      const offer = await test.openOffer();
      const both = [() => closeFor(offer, 1), () => keep(offer, 1)];
      await Promise.all((round % 2 === 0 ? both : both.toReversed()).map((ask) => ask()));
      // The answer to the closing was lost, so it may have been closed before and after.
      await keep(offer, 1);
      expect(await closeFor(offer, 1)).toBe('unknown');
      expect(await follow(offer)).toMatchObject({ kind: 'session' });
      expect(await test.pay(test.sessionsOf(offer.offerId).at(-1)!)).toBe(true);
    }
  }, 300_000);

  it('of another organisation is a fault', async () => {
    const offer = await test.openOffer();
    await expect(keep({ ...offer, book: test.newBook() }, 1)).rejects.toMatchObject({ status: 409 });
  });
});

it('paying and closing at once, both orders, many times: closed or paid, never both', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < runs(30, 1_000); round += 1) {
    const offer = await test.openOffer();
    const pay = () => test.pay(offer.sessionId);
    const [isPaid, closing] =
      round % 2 === 0
        ? await Promise.all([pay(), close(offer)])
        : await Promise.all([close(offer), pay()]).then(([closing, isPaid]) => [isPaid, closing] as const);
    outcomes.add(closing);
    expect(closing).toBe(isPaid ? 'paid' : 'closed');
    const { checkout } = await test.cardPayment(offer.offerId);
    expect(checkout.state).toBe(isPaid ? 'paid' : 'closed');
    expect(await paidEvents(offer.offerId)).toHaveLength(isPaid ? 1 : 0);
  }
  expect([...outcomes].every((outcome) => outcome === 'paid' || outcome === 'closed')).toBe(true);
}, 300_000);

it('following the link while it is being closed never leaves a session that can be paid', async () => {
  for (let round = 0; round < runs(10, 300); round += 1) {
    const offer = await test.openOffer();
    test.clock.advance(24 * 3_600_000);
    const [closing] = await Promise.all([close(offer), follow(offer).catch(() => undefined)]);
    const last = closing === 'closed' ? 'closed' : await close(offer);
    expect(last).toBe('closed');
    for (const sessionId of test.sessionsOf(offer.offerId)) expect(await test.pay(sessionId)).toBe(false);
  }
}, 300_000);

describe('settling an abandoned creation by card', () => {
  it('closes what nobody has paid', async () => {
    const offer = await test.openOffer();
    expect(await settle(offer)).toEqual({ outcome: 'closed' });
    expect(await test.pay(offer.sessionId)).toBe(false);
  });

  it('finds the payment, with the link that the offer keeps', async () => {
    const offer = await test.openOffer();
    await test.pay(offer.sessionId);
    expect(await settle(offer)).toEqual({
      outcome: 'charged',
      paymentMethod: 'E',
      paymentUrl: offer.reply.paymentUrl,
      netMinor: '1000',
      vatMinor: '200',
      paidAt: test.clock.now().toISOString(),
    });
  });

  it('says unknown while Stripe is down', async () => {
    const offer = await test.openOffer();
    await test.setFaults({ failExpire: 'down' });
    expect(await settle(offer)).toEqual({ outcome: 'unknown' });
  });

  it('is what the creation is told too whose answer of Stripe comes only then', async () => {
    const offerId = test.newOfferId();
    const order = { ...(await test.openOffer()), offerId };
    const { postgres } = test.billing;
    const [answered, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let transactions = 0;
    const transaction: typeof postgres.transaction = async (work) => {
      transactions += 1;
      // The first one writes the row, the second one what Stripe has answered.
      if (transactions === 2) {
        answered.resolve();
        await settled.promise;
      }
      return postgres.transaction(work);
    };
    const slow = { ...test.billing, postgres: { ...postgres, transaction } };
    const opening = openCheckout(slow, order, stripeDeadline());
    await answered.promise;
    expect(await settle(order)).toEqual({ outcome: 'closed' });
    settled.resolve();
    expect(await opening).toEqual({ outcome: 'refused', reason: 'closed', minimumMinor: null });
  });

  it('closes an id that billing never heard of, for checkouts too', async () => {
    const order = { ...(await test.openOffer()), offerId: test.newOfferId() };
    expect(await settle(order)).toEqual({ outcome: 'closed' });
    expect(await openCheckout(test.billing, order, stripeDeadline())).toEqual({
      outcome: 'refused',
      reason: 'closed',
      minimumMinor: null,
    });
  });
});
