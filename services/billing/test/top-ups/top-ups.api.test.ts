/** POST /internal/top-ups, and what happens to a top-up's page. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import { type CardTopUpReply, cardTopUpReply } from '@offer-ads/contracts/internal/billing-api';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { findCardPaymentByToken } from '../../src/payments/payments-store.ts';
import { MINUTE_MS, useBilling } from '../billing-under-test.ts';

const test = useBilling();

type Wish = {
  readonly key?: string | null;
  readonly amountMinor?: unknown;
  readonly caller?: Partial<CallerContext>;
};
const headersOf = (key: string | null) => (key === null ? {} : { 'idempotency-key': key });
const ask = ({ key = randomUUID(), amountMinor = '10000', caller = test.newBook() }: Wish = {}) =>
  test.as(caller, 'POST', '/top-ups', { amountMinor }, headersOf(key));
const opened = async (wish?: Wish): Promise<CardTopUpReply> => {
  const { status, body } = await ask(wish);
  expect([status, body]).toMatchObject([200, {}]);
  return cardTopUpReply.parse(body);
};
const newWish = () => ({ key: randomUUID(), caller: test.newBook() });

const cardPayment = (payToken: string) => findCardPaymentByToken(test.billing.postgres, payToken);
const sessionOf = async ({ paymentUrl }: CardTopUpReply) =>
  (await cardPayment(paymentUrl.slice(-32)))?.checkout.session.sessionId ?? '';

describe('POST /internal/top-ups', () => {
  it('gives the link, both amounts and when it ends, and the same again for the same key', async () => {
    const wish = newWish();
    const first = await opened(wish);
    expect(first).toMatchObject({ currency: 'GBP', netMinor: '10000', vatMinor: '2000' });
    expect(first.paymentUrl).toMatch(/^https:\/\/ads\.example\/pay\/[\w-]{32}$/);
    expect(Date.parse(first.expiresAt) - test.clock.now().getTime()).toBe(7 * DAY_MS);
    expect(await opened(wish)).toEqual(first);
    await test.pay(await sessionOf(first));
    await eventually(async () => expect(await test.balance(wish.caller)).toBe(100_00n));
    expect(await opened(wish)).toEqual(first);
    expect((await opened({ ...wish, key: randomUUID() })).topUpId).not.toBe(first.topUpId);
  });

  it('opens one session behind one link for ten requests at once with one key', async () => {
    const wish = newWish();
    const replies = await Promise.all(Array.from({ length: 10 }, () => opened(wish)));
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    const sessions = await test.billing.postgres.query(
      'SELECT session_id FROM payments WHERE top_up_id = $1',
      [replies[0]?.topUpId],
    );
    expect(sessions).toHaveLength(1);
  });

  it.each([
    ['no key', { key: null }, 'The Idempotency-Key header is missing'],
    ['a malformed key', { key: 'x'.repeat(256) }, /^Idempotency-Key must be 1 to 255/],
    ['an amount that is a number', { amountMinor: 100 }, /amountMinor/],
    ['a negative amount', { amountMinor: '-100' }, /amountMinor/],
    ['29p', { amountMinor: '29' }, 'amountMinor: a card payment must be at least 0.30 GBP'],
    [
      'more than eight digits with its VAT',
      { amountMinor: '83333333' },
      'amountMinor: a card payment must be at most 999999.99 GBP, VAT included',
    ],
    ['yen', { caller: { currency: 'JPY' } }, 'The billing currency JPY cannot be billed'],
    ['too many rupiahs', { caller: { currency: 'IDR', country: 'ID' }, amountMinor: '1000000000000' }, /IDR/],
  ] as const)('refuses in a sentence that says what is allowed: %s', async (_name, wish, message) => {
    const refusal = { status: 400, body: { message: expect.stringMatching(message) } };
    expect(await ask(wish)).toMatchObject(refusal);
  });

  it.each([
    ['GBP', 'GB', '83333332'],
    ['GBP', 'DE', '99999999'],
    ['IDR', 'ID', '999999999999'],
  ])(
    'accepts as many digits as a card payment may have in %s from %s: %s',
    async (currency, country, amountMinor) => {
      const { organisationId } = test.newBook();
      const reply = await opened({ caller: { organisationId, currency, country }, amountMinor });
      expect(reply).toMatchObject({ currency, netMinor: amountMinor });
    },
  );

  it('refuses another amount under the same key with 422; other organisations and modes may use the key', async () => {
    const wish = newWish();
    await opened(wish);
    const message = 'This Idempotency-Key was used with a different payload';
    expect(await ask({ ...wish, amountMinor: '10001' })).toMatchObject({ status: 422, body: { message } });
    await opened({ ...wish, caller: test.newBook() });
    await opened({ ...wish, caller: { ...wish.caller, mode: 'LIVE' } });
  });

  it('lets Stripe’s own minimum refuse a top-up, and frees the key', async () => {
    const wish = newWish();
    await test.setFaults({ failCreate: 'too_small' });
    expect(await ask(wish)).toMatchObject({ status: 400 });
    await test.setFaults({});
    await opened({ ...wish, amountMinor: '10001' });
  });

  it('refuses the 21st that waits for its payment until one is paid or has ended, and says so', async () => {
    const wish = newWish();
    const { caller } = wish;
    const first = await opened(wish);
    test.clock.advance(60 * MINUTE_MS);
    // All at once, and more than there is room for.
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask({ caller })));
    const refused = answers.filter(({ status }) => status === 409);
    const others = answers.filter(({ status }) => status === 200);
    expect([others.length, refused.length]).toEqual([19, 11]);
    expect(refused[0]?.body).toEqual({
      message:
        '20 top-ups wait for their payment already: pay one of them by its link, or ask again after ' +
        `${first.expiresAt}, when the first of them closes`,
    });
    // A repeat, the other mode and other organisations are not limited by it.
    expect(await opened(wish)).toEqual(first);
    await opened({ caller: { ...caller, mode: 'LIVE' } });
    await opened();

    await test.pay(await sessionOf(cardTopUpReply.parse(others[0]?.body)));
    const next = { caller, key: randomUUID() };
    await eventually(async () => expect((await ask(next)).status).toBe(200));
    expect((await ask({ caller })).status).toBe(409);
    // The first can no longer be paid, even before its page is closed.
    test.clock.set(first.expiresAt);
    await opened({ caller });
    expect((await ask({ caller })).status).toBe(409);
  });
});

describe('a top-up', () => {
  it.each([
    ['GB', 'GBP', 'TEST', 247n],
    ['DE', 'EUR', 'LIVE', 0n],
  ] as const)(
    'from %s in %s and %s mode adds its net amount once, with VAT of %s and an invoice',
    async (country, currency, mode, vatMinor) => {
      const book = test.newBook({ currency, mode });
      const topUp = await test.paidTopUp({ book, country, netMinor: 12_34n });
      expect(topUp.vatMinor).toBe(vatMinor);
      expect(topUp.sessionId).toMatch(`cs_${mode.toLowerCase()}_`);
      const vat = vatMinor === 0n ? {} : { 'vat-payable': vatMinor };
      const accounts = { 'card-clearing': -12_34n - vatMinor, 'prepaid-balance': 12_34n, ...vat };
      expect(await test.accounts(book)).toEqual(accounts);
      const amounts = { balanceMinor: '1234', netMinor: '1234', vatMinor: `${vatMinor}` };
      const announced = [{ ...book, ...amounts, method: 'card' }];
      expect(await test.emitted(BalanceToppedUp, book)).toEqual(announced);
      const invoices = await test.billing.postgres.query(
        'SELECT kind, net_minor, vat_minor FROM invoices WHERE cause = $1',
        [`card top-up ${topUp.topUpId}`],
      );
      expect(invoices).toEqual([{ kind: 'top-up', net_minor: 12_34n, vat_minor: vatMinor }]);
    },
  );

  it('gets a new session when the last has expired, and its link says when it is paid', async () => {
    const topUp = await test.openTopUp();
    expect(await test.follow(topUp)).toMatchObject({ kind: 'session' });
    test.clock.advance(DAY_MS);
    expect(await test.follow(topUp)).toMatchObject({ kind: 'session' });
    const { generation, sessionId } = (await cardPayment(topUp.payToken))!.checkout.session;
    expect(generation).toBe(2);
    await test.pay(sessionId ?? '');
    await eventually(async () => expect(await test.follow(topUp)).toMatchObject({ kind: 'paid' }));
  });

  it('is closed after seven days without a payment, and cannot be paid then', async () => {
    const topUp = await test.openTopUp();
    test.clock.advance(6 * DAY_MS);
    expect(await test.follow(topUp)).toMatchObject({ kind: 'session' });
    test.clock.advance(DAY_MS);
    expect(await test.follow(topUp)).toMatchObject({ kind: 'ended' });
    // A round leaves out a checkout that a webhook is changing.
    await eventually(async () => {
      await test.reconcile();
      expect((await cardPayment(topUp.payToken))?.checkout.state).toBe('closed');
    });
    const { sessionId } = (await cardPayment(topUp.payToken))!.checkout.session;
    expect(await test.pay(sessionId ?? '')).toBe(false);
  });
});
