import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { closing } from '../../src/domain/payments/checkout.ts';
import { changeCheckout } from '../../src/payments/checkouts-store.ts';
import { keepCheckout } from '../../src/payments/close-checkout.ts';
import { MINUTE_MS, type OpenOffer, useBilling } from '../billing-under-test.ts';

const test = useBilling();

const paidEvents = (offerId: number) => test.emitted(OfferPaid, { offerId });
const closedForEver = { outcome: 'refused', reason: 'closed', minimumMinor: null };

describe('a session that Stripe does not know', () => {
  /** As after a change to the key of another account. */
  async function forgottenOffer() {
    const offer = await test.openOffer();
    const sessionId = `cs_of_another_account_${offer.offerId}`;
    await test.billing.postgres.query(
      'UPDATE payments SET session_id = $2, next_check_at = $3 WHERE offer_id = $1',
      [offer.offerId, sessionId, test.clock.now()],
    );
    const { expiresAt } = (await test.checkout(offer)).session;
    const untilAfterEnd = (minutes: number) =>
      test.clock.set(new Date(expiresAt.getTime() + minutes * MINUTE_MS));
    return { ...offer, untilAfterEnd };
  }

  it('may still be paid in another account, so its page stays open until ten minutes after its end', async () => {
    const [deleted, abandoned] = [await forgottenOffer(), await forgottenOffer()];
    expect(await test.close(deleted)).toBe('unknown');
    expect(await test.resolve(abandoned)).toEqual({ outcome: 'unknown' });
    abandoned.untilAfterEnd(9);
    expect(await test.close(deleted)).toBe('unknown');
    expect((await test.checkout(deleted)).state).toBe('open');
    abandoned.untilAfterEnd(11);
    expect(await test.close(deleted)).toBe('closed');
    expect(await test.resolve(abandoned)).toEqual({ outcome: 'closed' });
    expect(await test.follow(deleted)).toMatchObject({ kind: 'closed' });
  });

  it('is followed by another one after that, for whoever follows the link', async () => {
    const offer = await forgottenOffer();
    offer.untilAfterEnd(9);
    expect(await test.follow(offer)).toMatchObject({ kind: 'unavailable' });
    offer.untilAfterEnd(11);
    expect(await test.follow(offer)).toMatchObject({ kind: 'session' });
    expect((await test.checkout(offer)).session.generation).toBe(2);
  });

  it('is not asked about any more after that', async () => {
    const offer = await forgottenOffer();
    const isExpired = async () => (await test.checkout(offer)).session.expired;
    await test.reconcile();
    expect(await isExpired()).toBe(false);
    offer.untilAfterEnd(24 * 60);
    await test.reconcile();
    expect(await isExpired()).toBe(true);
  });
});

describe('closing', () => {
  it('makes sure that the page can never be paid again, also when it is asked for twice at once', async () => {
    const offer = await test.openOffer();
    expect(await Promise.all([test.close(offer), test.close(offer)])).toEqual(['closed', 'closed']);
    expect(await test.close(offer)).toBe('closed');
    expect(await test.pay(offer.sessionId)).toBe(false);
    expect(await test.follow(offer)).toMatchObject({ kind: 'closed' });
  });

  it('finds the payment that came first and records it at once, without its webhook', async () => {
    const offer = await test.openOffer();
    await test.payUnheard(offer.sessionId);
    expect(await test.close(offer)).toBe('paid');
    expect(await paidEvents(offer.offerId)).toHaveLength(1);
    expect(await test.follow(offer)).toMatchObject({ kind: 'paid' });
  });

  it('is a payment when the payer is faster by a moment', async () => {
    const offer = await test.openOffer();
    await test.setFaults({ failExpire: 'complete' });
    expect(await test.close(offer)).toBe('paid');
    await eventually(async () => expect(await paidEvents(offer.offerId)).toHaveLength(1));
  });

  it('expires the session that may exist although Stripe’s answer to its opening was lost', async () => {
    const order = test.newOrder();
    await test.setFaults({ failCreate: 'down' });
    await expect(test.open(order)).rejects.toMatchObject({ status: 503 });
    expect(await test.close(order)).toBe('unknown');
    expect((await test.checkout(order)).state).toBe('opening');
    await test.setFaults({});
    // The breaker may still be open.
    await eventually(async () => expect(await test.close(order)).toBe('closed'));
    const [onlySession] = test.sessionsOf(order.offerId);
    expect(await test.pay(onlySession ?? '')).toBe(false);
    expect(await test.open(order)).toEqual(closedForEver);
  });

  it('keeps the offer from being sold again before it has ended', async () => {
    const offer = await test.openOffer();
    await changeCheckout(test.billing, offer, closing);
    await expect(test.open(offer)).rejects.toMatchObject({ status: 503 });
    expect(await test.close(offer)).toBe('closed');
  });

  it('needs no answer of Stripe after the session has expired', async () => {
    const offer = await test.openOffer();
    test.clock.advance(DAY_MS);
    test.expireDueSessions();
    await eventually(async () => expect((await test.checkout(offer)).session.expired).toBe(true));
    await test.setFaults({ failExpire: 'down' });
    expect(await test.close(offer)).toBe('closed');
  });

  it('for another organisation is a fault, and so is revoking it', async () => {
    const ofAnother = { ...(await test.openOffer()), book: test.newBook() };
    await expect(test.close(ofAnother)).rejects.toMatchObject({ status: 409 });
    await expect(keepCheckout(test.billing, ofAnother, 1)).rejects.toMatchObject({ status: 409 });
  });
});

describe('a deletion that is revoked', () => {
  const keep = (offer: OpenOffer, deletion: number) => keepCheckout(test.billing, offer, deletion);

  it('leaves a link that leads to a new session, which can be paid', async () => {
    const offer = await test.openOffer();
    expect(await test.close(offer, 1)).toBe('closed');
    expect(await keep(offer, 1)).toBe('open');
    expect(await test.follow(offer)).toMatchObject({ kind: 'session' });
    const [first, second, ...others] = test.sessionsOf(offer.offerId);
    expect(others).toEqual([]);
    expect(await test.pay(first!)).toBe(false);
    expect(await test.pay(second!)).toBe(true);
    await eventually(async () => expect(await paidEvents(offer.offerId)).toHaveLength(1));
    expect(await keep(offer, 1)).toBe('paid');
  });

  it('changes nothing after a later deletion, an end or a resolved charge, which found the page closed', async () => {
    for (const later of [test.resolve, test.close, (offer: OpenOffer) => test.close(offer, 2)]) {
      const offer = await test.openOffer();
      await test.close(offer, 1);
      await later(offer);
      expect(await keep(offer, 1)).toBe('closed');
      expect(await test.follow(offer)).toMatchObject({ kind: 'closed' });
    }
  });

  it('leaves a page that can be paid, in whatever order it and the request to close arrive', async () => {
    for (let round = 0; round < runs(10, 300); round += 1) {
      const offer = await test.openOffer();
      const both = [() => test.close(offer, 1), () => keep(offer, 1)];
      await Promise.all((round % 2 === 0 ? both : both.toReversed()).map((ask) => ask()));
      // The answer to the closing was lost, so it may have been closed before and after.
      await keep(offer, 1);
      expect(await test.close(offer, 1)).toBe('unknown');
      expect(await test.follow(offer)).toMatchObject({ kind: 'session' });
      expect(await test.pay(test.sessionsOf(offer.offerId).at(-1)!)).toBe(true);
    }
  }, 300_000);
});

it('paying and closing at once, in both orders and many times, ends closed or paid, never both', async () => {
  for (let round = 0; round < runs(30, 1_000); round += 1) {
    const offer = await test.openOffer();
    const both = [() => test.pay(offer.sessionId), () => test.close(offer)] as const;
    const begun = round % 2 === 0 ? [both[0](), both[1]()] : [both[1](), both[0]()].toReversed();
    const [isPaid, closing] = await Promise.all(begun);
    expect(closing).toBe(isPaid ? 'paid' : 'closed');
    expect((await test.checkout(offer)).state).toBe(isPaid ? 'paid' : 'closed');
    expect(await paidEvents(offer.offerId)).toHaveLength(isPaid ? 1 : 0);
  }
}, 300_000);

it('following the link while it is being closed never leaves a session that can be paid', async () => {
  for (let round = 0; round < runs(10, 300); round += 1) {
    const offer = await test.openOffer();
    test.clock.advance(DAY_MS);
    const [closing] = await Promise.all([test.close(offer), test.follow(offer).catch(() => undefined)]);
    expect(closing === 'closed' ? 'closed' : await test.close(offer)).toBe('closed');
    for (const sessionId of test.sessionsOf(offer.offerId)) expect(await test.pay(sessionId)).toBe(false);
  }
}, 300_000);

describe('resolving the charge of an abandoned creation by card', () => {
  it('closes a page that nobody has paid', async () => {
    const offer = await test.openOffer();
    expect(await test.resolve(offer)).toEqual({ outcome: 'closed' });
    expect(await test.pay(offer.sessionId)).toBe(false);
  });

  it('finds the payment, with the link that the offer keeps', async () => {
    const offer = await test.paidOffer();
    expect(await test.resolve(offer)).toEqual({
      outcome: 'charged',
      paymentMethod: 'E',
      paymentUrl: offer.reply.paymentUrl,
      netMinor: '1000',
      vatMinor: '200',
      paidAt: test.clock.now().toISOString(),
    });
  });

  it('closes an id that billing does not know, for checkouts too', async () => {
    const order = test.newOrder();
    expect(await test.resolve(order)).toEqual({ outcome: 'closed' });
    expect(await test.open(order)).toEqual(closedForEver);
  });

  it('also decides the reply to a creation whose answer from Stripe comes later', async () => {
    const order = test.newOrder();
    const { postgres } = test.billing;
    const [answered, resolved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let transactions = 0;
    const transaction: typeof postgres.transaction = async (work) => {
      transactions += 1;
      // The first one writes the row, the second one Stripe's answer.
      if (transactions === 2) {
        answered.resolve();
        await resolved.promise;
      }
      return postgres.transaction(work);
    };
    const opening = test.open(order, { ...test.billing, postgres: { ...postgres, transaction } });
    await answered.promise;
    expect(await test.resolve(order)).toEqual({ outcome: 'closed' });
    resolved.resolve();
    expect(await opening).toEqual(closedForEver);
  });
});
