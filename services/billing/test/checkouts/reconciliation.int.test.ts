import { describe, expect, it } from '@jest/globals';
import { BalanceToppedUp, OfferPaid } from '@offer-ads/contracts/events/billing';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { Stripe } from 'stripe';
import type { Billing } from '../../src/billing.ts';
import { closing, sessionExpired } from '../../src/domain/payments/checkout.ts';
import { changeCheckout, closeForEver } from '../../src/payments/checkouts-store.ts';
import { closePayablePages } from '../../src/payments/reconcile.ts';
import { latestProblems } from '../../src/webhooks/provider-events-store.ts';
import { MINUTE_MS, useBilling } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';
import { watched } from '../watched-billing.ts';

const test = useBilling({ webhooksLost: true });

const endsIn = (minutes: number) => ({
  offerExpiryAt: new Date(test.clock.now().getTime() + minutes * MINUTE_MS),
});
type Sessions = Billing['stripe']['TEST']['client']['checkout']['sessions'];
/** Billing with other answers of Stripe. */
const withSessions = (sessions: Partial<Record<keyof Sessions, unknown>>): Billing => {
  const { TEST, LIVE } = test.billing.stripe;
  const client = { checkout: { sessions } } as unknown as typeof TEST.client;
  return { ...test.billing, stripe: { LIVE, TEST: { ...TEST, client } } };
};

it('a payment whose webhook never came is found by asking Stripe, and posted once, of a top-up too', async () => {
  const [offer, topUp] = [await test.openOffer(), await test.openTopUp()];
  for (const { sessionId } of [offer, topUp]) await test.pay(sessionId);
  await test.reconcile();
  expect((await test.checkout(offer)).state).toBe('open');
  test.clock.advance(5 * MINUTE_MS);
  await test.reconcile();
  await test.reconcile();
  expect((await test.checkout(offer)).state).toBe('paid');
  expect(await test.emitted(OfferPaid, { offerId: offer.offerId })).toHaveLength(1);
  expect(await test.balance(topUp.book)).toBe(100_00n);
  expect(await test.emitted(BalanceToppedUp, topUp.book)).toHaveLength(1);
});

it('a payment that is found long after the end of its session was made before that end', async () => {
  const offer = await test.openOffer();
  await test.pay(offer.sessionId);
  const { expiresAt } = (await test.checkout(offer)).session;
  test.clock.advance(20 * DAY_MS);
  await test.reconcile();
  expect((await test.checkout(offer)).paidAt).toEqual(expiresAt);
});

it('the page of an offer that ended unpaid is closed as soon as Stripe answers', async () => {
  const offer = await test.openOffer(endsIn(10));
  test.clock.advance(10 * MINUTE_MS);
  await test.setFaults({ failExpire: 'down' });
  await test.reconcile();
  expect((await test.checkout(offer)).state).toBe('open');
  await test.setFaults({});
  test.clock.advance(MINUTE_MS);
  await test.reconcile();
  expect((await test.checkout(offer)).state).toBe('closed');
  expect(await test.pay(offer.sessionId)).toBe(false);
});

describe('pages that can be paid although their offer has ended', () => {
  const close = (billing = test.billing) => closePayablePages(billing, new AbortController().signal);

  it('are closed without waiting for the many whose session has ended with the offer', async () => {
    const others = await inTens(30, () => test.openOffer(endsIn(40)));
    test.clock.advance(39 * MINUTE_MS);
    const { topUpId, sessionId: ofTopUp } = await test.openTopUp();
    await test.billing.postgres.query('UPDATE payments SET expiry_at = $2 WHERE top_up_id = $1', [
      topUpId,
      test.clock.now(),
    ]);
    const offers = await inTens(30, () => test.openOffer(endsIn(5)));
    test.clock.advance(5 * MINUTE_MS);
    const before = test.requests.length;
    // As when two replicas look at the same time.
    await Promise.all([close(), close()]);
    const asked = test.requests.slice(before).map(({ path }) => path.split('/')[4]);
    expect(asked).toHaveLength(31);
    expect(new Set(asked)).toEqual(new Set([ofTopUp, ...offers.map(({ sessionId }) => sessionId)]));
    for (const offer of offers) expect((await test.checkout(offer)).state).toBe('closed');
    for (const offer of others) expect((await test.checkout(offer)).state).toBe('open');
  });

  it('are closed when an offer ends before its time, as by the test clock', async () => {
    const offer = await test.openOffer();
    await closeForEver(test.billing.postgres, offer.offerId, test.clock.now());
    await close();
    expect((await test.checkout(offer)).state).toBe('closed');
    expect(await test.pay(offer.sessionId)).toBe(false);
  });

  it('are tried again ten seconds later when Stripe did not answer, and count as paid if they were', async () => {
    const offer = await test.openOffer(endsIn(5));
    test.clock.advance(5 * MINUTE_MS);
    await test.setFaults({ failExpire: 'down' });
    await close();
    expect((await test.checkout(offer)).state).toBe('open');
    await test.setFaults({});
    await test.pay(offer.sessionId);
    test.clock.advance(10_000);
    await close();
    expect((await test.checkout(offer)).state).toBe('paid');
  });
});

describe('after the process died that was closing a page', () => {
  it.each([
    ['can still be paid', false],
    ['has expired', true],
  ])('the page can be paid again a minute later, when its session %s', async (_what, isExpired) => {
    const offer = await test.openOffer();
    await changeCheckout(test.billing, offer, closing);
    if (isExpired) await changeCheckout(test.billing, offer, (checkout) => sessionExpired(checkout, 1));
    await test.reconcile();
    expect(await test.follow(offer)).toMatchObject({ kind: 'unavailable' });
    test.clock.advance(MINUTE_MS);
    await test.reconcile();
    expect(await test.follow(offer)).toMatchObject({ kind: 'session' });
  });
});

describe('sessions that are due', () => {
  /** Every second offer ends before its session. */
  const openMany = (count: number, mode: Mode = 'TEST', minutes = [40, 20_000]) =>
    inTens(count, (place) =>
      test.openOffer({ ...endsIn(minutes[place % minutes.length]!), book: test.newBook({ mode }) }),
    );
  const countDue = async (offers: readonly { readonly offerId: number }[]) => {
    const checkouts = await Promise.all(offers.map(test.checkout));
    return checkouts.filter(
      ({ session, state, expiryAt }) =>
        !session.expired || (state === 'open' && expiryAt <= test.clock.now()),
    ).length;
  };

  it('are all handled by one round, which asks batch after batch', async () => {
    const offers = await openMany(90);
    test.clock.advance(DAY_MS);
    await test.reconcile();
    expect(await countDue(offers)).toBe(0);
  });

  it('are shared by replicas: Stripe is asked once about each', async () => {
    const offers = await openMany(60, 'TEST', [20_000]);
    test.clock.advance(DAY_MS);
    const before = test.requests.length;
    await Promise.all([test.reconcile(), test.reconcile()]);
    expect(await countDue(offers)).toBe(0);
    expect(test.requests.length - before).toBe(60);
  });

  it('stay due while their mode’s account does not answer, and the other mode goes on', async () => {
    const [silent, answering] = [await openMany(3), await openMany(3, 'LIVE')];
    test.clock.advance(DAY_MS);
    const { stripe } = test.billing;
    const breaker = { ...stripe.TEST.breaker, isOpen: () => true };
    await test.reconcile({ ...test.billing, stripe: { ...stripe, TEST: { ...stripe.TEST, breaker } } });
    expect([await countDue(silent), await countDue(answering)]).toEqual([3, 0]);
    await test.reconcile();
    expect(await countDue(silent)).toBe(0);
  });

  it('are left to the next round when the time of this one is over', async () => {
    const offers = await openMany(30);
    test.clock.advance(DAY_MS);
    await test.reconcile(test.billing, 0);
    expect(await countDue(offers)).toBeGreaterThan(0);
    await test.reconcile();
    expect(await countDue(offers)).toBe(0);
  });
});

describe('a complete session that pays nothing', () => {
  const requestsOf = (sessionId: string) =>
    test.requests.filter(({ path }) => path.includes(sessionId)).length;

  /** Billing, and its alerts about the session. */
  function alertsOf(sessionId: string, by = test.billing) {
    const { billing, log } = watched(by);
    const alerts = () => log.filter((line) => line['level'] === 'error' && line['sessionId'] === sessionId);
    return { billing, alerts };
  }

  /** Many rounds, so that every question is asked when it is due. */
  async function reconcileForDays(days: number, billing: Billing): Promise<void> {
    for (let hours = 0; hours < days * 24; hours += 12) {
      test.clock.advance(DAY_MS / 2);
      await test.reconcile(billing);
    }
  }

  async function paidWrongly() {
    const offer = await test.openOffer(endsIn(60 * 24 * 60));
    await test.billing.postgres.query('UPDATE payments SET net_minor = net_minor + 1 WHERE offer_id = $1', [
      offer.offerId,
    ]);
    await test.pay(offer.sessionId);
    return offer;
  }

  it('because of its amount is alerted once, asked about ever less often, and in the end not at all', async () => {
    const offer = await paidWrongly();
    const { billing, alerts } = alertsOf(offer.sessionId);
    const before = requestsOf(offer.sessionId);
    await reconcileForDays(30, billing);
    expect(alerts()).toMatchObject([{ msg: 'a card payment cannot be applied and waits for a person' }]);
    expect(requestsOf(offer.sessionId) - before).toBeLessThan(20);
    expect((await test.checkout(offer)).session.expired).toBe(true);
    const listed = await latestProblems(test.billing.postgres, 500);
    expect(listed.filter(({ sessionId }) => sessionId === offer.sessionId)).toHaveLength(1);
  });

  it('does not keep its page from being closed, and is alerted once', async () => {
    const offer = await paidWrongly();
    const { billing, alerts } = alertsOf(offer.sessionId);
    for (const _time of [1, 2]) expect(await test.close(offer, undefined, billing)).toBe('closed');
    expect(alerts()).toHaveLength(1);
  });

  it('is not alerted again after its webhook', async () => {
    const offer = await paidWrongly();
    const { billing, alerts } = alertsOf(offer.sessionId);
    await test.receive(await test.sentWebhook(offer.sessionId), billing);
    test.clock.advance(5 * MINUTE_MS);
    await test.reconcile(billing);
    expect(alerts()).toHaveLength(1);
  });

  it('because the payer’s bank never answered is given up after ten days, with an alert', async () => {
    const offer = await test.openOffer(endsIn(60 * 24 * 60));
    await test.pay(offer.sessionId);
    const { sessions } = test.billing.stripe.TEST.client.checkout;
    const retrieve = async (...call: Parameters<typeof sessions.retrieve>) => ({
      ...(await sessions.retrieve(...call)),
      payment_status: 'unpaid',
    });
    const { billing, alerts } = alertsOf(offer.sessionId, withSessions({ retrieve }));
    await reconcileForDays(9, billing);
    expect([alerts(), (await test.checkout(offer)).session.expired]).toEqual([[], false]);
    const before = requestsOf(offer.sessionId);
    await reconcileForDays(20, billing);
    expect(alerts()).toMatchObject([{ purchase: offer.purchase, sessionId: offer.sessionId }]);
    expect((await test.checkout(offer)).session.expired).toBe(true);
    expect(requestsOf(offer.sessionId) - before).toBeLessThan(3);
  });
});

it('only the latest session is asked about, and none after the payment', async () => {
  const offer = await test.openOffer();
  test.clock.advance(DAY_MS);
  await test.follow(offer);
  const due = () =>
    test.billing.postgres.query(
      'SELECT generation FROM payments WHERE offer_id = $1 AND next_check_at IS NOT NULL',
      [offer.offerId],
    );
  expect(await due()).toEqual([{ generation: 2 }]);
  await test.pay(test.sessionsOf(offer.offerId)[1] ?? '');
  test.clock.advance(5 * MINUTE_MS);
  await test.reconcile();
  expect((await test.checkout(offer)).state).toBe('paid');
  expect(await due()).toEqual([]);
});

it('pages that can never be closed do not keep others from being closed, and are tried ever less often', async () => {
  // More than two batches.
  const stuckPages = await inTens(45, () => test.openOffer(endsIn(40)));
  const stuck = new Set(stuckPages.map(({ sessionId }) => sessionId));
  const last = await test.openOffer(endsIn(41));
  const { sessions } = test.billing.stripe.TEST.client.checkout;
  const refusal = { message: 'not for this key', statusCode: 403 } as never;
  const refuse = () => Promise.reject(new Stripe.errors.StripePermissionError(refusal));
  let tried = 0;
  const expire = (...call: Parameters<typeof sessions.expire>) => {
    if (!stuck.has(call[0])) return sessions.expire(...call);
    tried += 1;
    return refuse();
  };
  const retrieve = (...call: Parameters<typeof sessions.retrieve>) =>
    stuck.has(call[0]) ? refuse() : sessions.retrieve(...call);
  const billing = withSessions({ expire, retrieve });
  const tries = async () => {
    tried = 0;
    await test.reconcile(billing);
    await test.reconcile(billing);
    return tried;
  };
  test.clock.advance(42 * MINUTE_MS);
  expect(await tries()).toBe(45);
  expect((await test.checkout(last)).state).toBe('closed');
  expect(await tries()).toBe(0);
  test.clock.advance(10 * 60 * MINUTE_MS);
  expect(await tries()).toBe(45);
  test.clock.advance(59 * MINUTE_MS);
  expect(await tries()).toBe(0);
  test.clock.advance(MINUTE_MS);
  expect(await tries()).toBe(45);
});
