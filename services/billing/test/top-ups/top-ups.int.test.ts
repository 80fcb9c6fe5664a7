import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { findCardPaymentByToken } from '../../src/checkouts/checkouts-store.ts';
import { closeTopUp } from '../../src/checkouts/close-checkout.ts';
import { followPaymentLink } from '../../src/checkouts/follow-payment-link.ts';
import { reconcileCheckouts } from '../../src/checkouts/reconcile.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { openTopUp } from '../../src/top-ups/open-top-up.ts';
import { type BillingUnderTest, startBillingUnderTest } from '../billing-under-test.ts';

const DAY_MS = 24 * 3_600_000;

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterEach(async () => {
  await test.setFaults({});
  test.webhooks.lost = false;
});
afterAll(() => test.finish());

type TopUp = Awaited<ReturnType<BillingUnderTest['openTopUp']>>;
type Order = Parameters<typeof openTopUp>[1];

const open = (order: Order) => openTopUp(test.billing, order, stripeDeadline());
const follow = ({ payToken }: TopUp) => followPaymentLink(test.billing, payToken, stripeDeadline());
const balance = ({ book }: Pick<TopUp, 'book'>) => balanceOf(test.billing.postgres, book);
const reconcile = () => reconcileCheckouts(test.billing, new AbortController().signal);
const newOrder = (facts: Partial<Order> = {}): Order => ({
  book: test.newBook(),
  country: 'GB',
  netMinor: 100_00n,
  idempotencyKey: randomUUID(),
  ...facts,
});

async function entriesOf({ topUpId }: Pick<TopUp, 'topUpId'>) {
  return test.billing.postgres.query(
    `SELECT accounts.kind, amount_minor FROM entries JOIN accounts USING (account_id) JOIN transactions USING (transaction_id)
      WHERE cause = $1 ORDER BY accounts.kind`,
    [`card top-up ${topUpId}`],
  );
}

async function announcements({ book }: Pick<TopUp, 'book'>) {
  return (await test.emitted(BalanceToppedUp)).filter(
    ({ organisationId }) => organisationId === book.organisationId,
  );
}

describe('a top-up by card', () => {
  it('costs VAT on top for UK organisations; the balance gets the net, once, and an invoice is issued', async () => {
    const topUp = await test.openTopUp({ netMinor: 12_34n });
    expect(topUp).toMatchObject({ netMinor: 1234n, vatMinor: 247n });
    await test.pay(topUp.sessionId);
    await eventually(async () => expect(await balance(topUp)).toBe(12_34n));
    expect(await entriesOf(topUp)).toEqual([
      { kind: 'card-clearing', amount_minor: -1481n },
      { kind: 'prepaid-balance', amount_minor: 1234n },
      { kind: 'vat-payable', amount_minor: 247n },
    ]);
    expect(await announcements(topUp)).toEqual([
      { ...topUp.book, balanceMinor: '1234', netMinor: '1234', vatMinor: '247', method: 'card' },
    ]);
    const invoices = await test.billing.postgres.query(
      'SELECT kind, net_minor, vat_minor FROM invoices WHERE cause = $1',
      [`card top-up ${topUp.topUpId}`],
    );
    expect(invoices).toEqual([{ kind: 'top-up', net_minor: 1234n, vat_minor: 247n }]);
  });

  it('bears no VAT for other organisations and stays in its mode', async () => {
    const book = test.newBook({ currency: 'EUR', mode: 'LIVE' });
    const topUp = await test.openTopUp({ book, country: 'DE' });
    expect(topUp.sessionId).toMatch(/^cs_live_/);
    expect(topUp.vatMinor).toBe(0n);
    await test.pay(topUp.sessionId);
    await eventually(async () => expect(await balance(topUp)).toBe(100_00n));
    expect(await balance({ book: { ...book, mode: 'TEST' } })).toBe(0n);
  });

  it('asked for 10 times at once under one key is one session behind one link', async () => {
    const order = newOrder();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => open(order)));
    const links = outcomes.map((outcome) => (outcome.ok ? outcome.reply.paymentUrl : 'refused'));
    expect(new Set(links).size).toBe(1);
    const [first] = outcomes;
    const topUpId = first?.ok ? first.reply.topUpId : 0;
    const created = test.requests.filter(
      ({ method, path, body }) =>
        method === 'POST' && path === '/v1/checkout/sessions' && body.includes(`top_up_id]=${topUpId}&`),
    );
    expect(created.length).toBeGreaterThan(0);
    const sessions = await test.billing.postgres.query(
      'SELECT session_id FROM checkout_sessions WHERE top_up_id = $1',
      [topUpId],
    );
    expect(sessions).toHaveLength(1);
  });

  it('is the same again when it was paid long ago, and another under another key', async () => {
    const topUp = await test.openTopUp();
    await test.pay(topUp.sessionId);
    await eventually(async () => expect(await balance(topUp)).toBe(100_00n));
    expect(await open(topUp)).toMatchObject({ ok: true, reply: { paymentUrl: topUp.paymentUrl } });
    const other = await test.openTopUp({ ...topUp, idempotencyKey: randomUUID() });
    expect(other.topUpId).not.toBe(topUp.topUpId);
  });

  it('of another amount under the same key is refused; the same key of another organisation or mode is free', async () => {
    const order = newOrder();
    await open(order);
    expect(await open({ ...order, netMinor: 100_01n })).toMatchObject({
      ok: false,
      refusal: { reason: 'different-payload' },
    });
    expect(await open({ ...order, book: test.newBook() })).toMatchObject({ ok: true });
    expect(await open({ ...order, book: { ...order.book, mode: 'LIVE' } })).toMatchObject({ ok: true });
  });

  it('below the minimum is refused, by ours and by Stripe’s, and frees the key', async () => {
    const order = newOrder({ netMinor: 29n });
    const refusal = { reason: 'below-minimum', minimumMinor: 30n, currency: 'GBP' };
    expect(await open(order)).toEqual({ ok: false, refusal });
    await test.setFaults({ failCreate: 'too_small' });
    expect(await open({ ...order, netMinor: 30n })).toEqual({ ok: false, refusal });
    await test.setFaults({});
    expect(await open({ ...order, netMinor: 31n })).toMatchObject({ ok: true });
  });

  it('above eight digits with its VAT is refused, and exactly at it is not', async () => {
    // 83,333,332.5 x 1.2 is 99,999,999.
    expect(await open(newOrder({ netMinor: 83_333_333n }))).toEqual({
      ok: false,
      refusal: { reason: 'above-maximum', maximumMinor: 99_999_999n, currency: 'GBP' },
    });
    expect(await open(newOrder({ netMinor: 83_333_332n }))).toMatchObject({ ok: true });
    expect(await open(newOrder({ netMinor: 99_999_999n, country: 'DE' }))).toMatchObject({ ok: true });
  });

  it('may have twelve digits in rupiahs, which are worth so little', async () => {
    const inRupiahs = (netMinor: bigint) =>
      open(newOrder({ book: test.newBook({ currency: 'IDR' }), netMinor, country: 'ID' }));
    expect(await inRupiahs(999_999_999_999n)).toMatchObject({ ok: true });
    expect(await inRupiahs(1_000_000_000_000n)).toEqual({
      ok: false,
      refusal: { reason: 'above-maximum', maximumMinor: 999_999_999_999n, currency: 'IDR' },
    });
  });

  it('in a currency that is not billed is refused', async () => {
    const order = newOrder({ book: test.newBook({ currency: 'JPY' }) });
    expect(await open(order)).toMatchObject({ ok: false, refusal: { reason: 'currency-not-billed' } });
  });
});

describe('its page', () => {
  it('gets a fresh session when the last has expired, and says when it is paid', async () => {
    const topUp = await test.openTopUp();
    expect(await follow(topUp)).toMatchObject({ kind: 'session', of: 'top-up' });
    test.clock.advance(DAY_MS);
    expect(await follow(topUp)).toMatchObject({ kind: 'session' });
    const payment = await findCardPaymentByToken(test.billing.postgres, topUp.payToken);
    expect(payment?.checkout.session.generation).toBe(2);
    await test.pay(payment?.checkout.session.sessionId ?? '');
    await eventually(async () => expect(await follow(topUp)).toEqual({ kind: 'paid', of: 'top-up' }));
  });

  it('is closed after seven days without a payment, and cannot be paid then', async () => {
    const topUp = await test.openTopUp();
    test.clock.advance(6 * DAY_MS);
    expect(await follow(topUp)).toMatchObject({ kind: 'session' });
    test.clock.advance(DAY_MS);
    expect(await follow(topUp)).toEqual({ kind: 'ended', of: 'top-up' });
    // Stripe may just tell of the last session's end: who is at work on a checkout is left alone until the next round.
    const checkout = await eventually(async () => {
      await reconcile();
      const payment = await findCardPaymentByToken(test.billing.postgres, topUp.payToken);
      expect(payment?.checkout.state).toBe('closed');
      return payment?.checkout;
    });
    expect(await test.pay(checkout?.session.sessionId ?? '')).toBe(false);
  });

  it('whose webhook never came is found to be paid by asking', async () => {
    const topUp = await test.openTopUp();
    test.webhooks.lost = true;
    await test.pay(topUp.sessionId);
    test.clock.advance(5 * 60_000);
    await reconcile();
    await reconcile();
    expect(await balance(topUp)).toBe(100_00n);
    expect(await announcements(topUp)).toHaveLength(1);
  });
});

it('paying while the page is being closed, both orders: closed without money, or on the balance', async () => {
  for (let round = 0; round < runs(15, 1_000); round += 1) {
    const topUp = await test.openTopUp();
    const payment = await findCardPaymentByToken(test.billing.postgres, topUp.payToken);
    const both = [
      () => test.pay(topUp.sessionId),
      () => closeTopUp(test.billing, payment!, stripeDeadline()),
    ] as const;
    const [isPaid, closing] =
      round % 2 === 0
        ? await Promise.all([both[0](), both[1]()])
        : await Promise.all([both[1](), both[0]()]).then(([closing, paid]) => [paid, closing] as const);
    expect(closing).toBe(isPaid ? 'paid' : 'closed');
    expect(await balance(topUp)).toBe(isPaid ? 100_00n : 0n);
  }
}, 300_000);
