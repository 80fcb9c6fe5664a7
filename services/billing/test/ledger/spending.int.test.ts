/** The spending limits of keys and people. */
import { describe, expect, it } from '@jest/globals';
import { OfferDeleted } from '@offer-ads/contracts/events/offers';
import type { Spending } from '@offer-ads/contracts/internal/caller-context';
import { keyReply } from '@offer-ads/contracts/public/api';
import { openPostgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { signedCaller } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import { chargeOffer } from '../../src/balance/charge-offer.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { keepCheckout } from '../../src/payments/close-checkout.ts';
import { unlimited, useBilling } from '../billing-under-test.ts';

const test = useBilling();

let keys = 0;
const limited = (limits: Partial<Spending>): Spending => ({
  ...unlimited,
  spender: `key/${++keys}`,
  ...limits,
});
const charge = (book: Book, netMinor: bigint, spending: Spending, offerId = test.newOfferId()) =>
  test.charge(book, netMinor, offerId, test.clock.now(), spending);
const above = (per: 'day' | 'month', limitMinor: string, leftMinor: string, costMinor: string) => ({
  outcome: 'refused',
  reason: 'above-limit',
  exceeded: { per, limitMinor, leftMinor, costMinor },
});
const charged = { outcome: 'charged' };
const opened = { outcome: 'opened' };

describe('a limit for a day', () => {
  it('is used up to the last penny, and a price above what is left takes nothing', async () => {
    const [book, key] = [await test.fundedBook(), limited({ perDayMinor: '6000' })];
    expect(await charge(book, 47_50n, key)).toMatchObject(charged);
    expect(await charge(book, 12_51n, key)).toMatchObject(above('day', '6000', '1250', '1251'));
    expect(await charge(book, 12_50n, key)).toMatchObject(charged);
    expect(await charge(book, 1n, key)).toMatchObject(above('day', '6000', '0', '1'));
    expect(await test.balance(book)).toBe(40_00n);
  });

  it('begins anew at midnight UTC; that for a month goes on until its end', async () => {
    test.clock.set('2026-06-29T23:59:59.999Z');
    const [book, key] = [await test.fundedBook(), limited({ perDayMinor: '1000', perMonthMinor: '1500' })];
    expect(await charge(book, 10_00n, key)).toMatchObject(charged);
    expect(await charge(book, 1n, key)).toMatchObject(above('day', '1000', '0', '1'));
    test.clock.set('2026-06-30T00:00:00.000Z');
    expect(await charge(book, 5_01n, key)).toMatchObject(above('month', '1500', '500', '501'));
    expect(await charge(book, 5_00n, key)).toMatchObject(charged);
    test.clock.set('2026-07-01T00:00:00.000Z');
    expect(await charge(book, 10_00n, key)).toMatchObject(charged);
  });

  it('is exact for a thousand charges at once over two replicas', async () => {
    const [book, key] = [await test.fundedBook(), limited({ perDayMinor: '300' })];
    await using second = await openPostgres({
      url: test.databaseUrl,
      maxConnections: 10,
      statementTimeoutMs: 60_000,
      logger: silentLogger,
      metrics: createMetrics('billing'),
    });
    const replicas = [test.billing, { ...test.billing, postgres: second }];
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => {
        const order = { offerId: test.newOfferId(), book, title: 'Two for one', netMinor: 7n, spending: key };
        return chargeOffer(replicas[index % 2] ?? test.billing, order, test.clock.now());
      }),
    );
    expect(answers.filter(({ outcome }) => outcome === 'charged')).toHaveLength(42);
    expect(await test.balance(book)).toBe(100_00n - 42n * 7n);
  });

  it('counts payment links with VAT, also those at once, until they are closed unpaid', async () => {
    const [book, key] = [test.newBook(), limited({ perDayMinor: '3000' })];
    const orders = [1, 2, 3, 4].map(() => test.newOrder({ book, netMinor: 10_00n, spending: key }));
    const answers = await Promise.all(orders.map((order) => test.open(order)));
    const isOpen = answers.map(({ outcome }) => outcome === 'opened');
    expect(isOpen.filter(Boolean)).toHaveLength(2);
    expect(answers[isOpen.indexOf(false)]).toMatchObject(above('day', '3000', '600', '1200'));
    const first = orders[isOpen.indexOf(true)];
    if (first === undefined) throw new Error('no link was opened');
    expect(await test.close(first)).toBe('closed');
    expect(await test.open(test.newOrder({ book, netMinor: 10_00n, spending: key }))).toMatchObject(opened);
  });

  it.each(['offer', 'group'])(
    'counts the link of an %s that is closed for a deletion until nothing can open it again',
    async (kind) => {
      const [book, key] = [test.newBook(), limited({ perDayMinor: '3000' })];
      const facts = { book, spending: key };
      const link = await (kind === 'offer' ? test.openOffer(facts) : test.openGroup([6_00n, 4_00n], facts));
      const another = () => test.open(test.newOrder({ ...facts, netMinor: 20_00n }));
      const refused = above('day', '3000', '1800', '2400');
      expect(await test.close(link, 1)).toBe('closed');
      expect(await another()).toMatchObject(refused);
      expect(await keepCheckout(test.billing, link, 1)).toBe('open');
      expect(await another()).toMatchObject(refused);
      expect(await test.close(link, 2)).toBe('closed');
      const at = test.clock.now().toISOString();
      const times = { startAt: at, expiryAt: at, deletedAt: at, unusedMs: 0, scheduledMs: 1, paid: false };
      const offerId = 'offerId' in link ? link.offerId : link.offers[0]?.offerId;
      await test.consume(OfferDeleted, { ...book, offerId, title: 'Two for one', ...times });
      expect(await keepCheckout(test.billing, link, 2)).toBe('closed');
      expect(await another()).toMatchObject(opened);
    },
  );

  it('does not count what was refused, nor an order that is asked for again', async () => {
    const [book, key, again] = [test.newBook(), limited({ perDayMinor: '1000' }), test.newOfferId()];
    expect(await charge(book, 10_00n, key)).toMatchObject({ reason: 'balance-too-low' });
    await test.topUp(book, 20_00n);
    expect(await charge(book, 10_00n, key, again)).toMatchObject(charged);
    expect(await charge(book, 10_00n, key, again)).toMatchObject({ ...charged, balanceMinor: '1000' });
    const order = test.newOrder({ book, netMinor: 10_00n, spending: limited({ perDayMinor: '1200' }) });
    expect(await test.open(order)).toMatchObject(opened);
    expect(await test.open(order)).toMatchObject(opened);
  });

  it('is of one spender in one mode, and counts what was ordered before it was set', async () => {
    const book = await test.fundedBook();
    const free = limited({});
    expect(await charge(book, 10_00n, free)).toMatchObject(charged);
    const key = { ...free, perDayMinor: '1000' };
    expect(await charge(book, 1n, key)).toMatchObject(above('day', '1000', '0', '1'));
    expect(await charge(book, 10_00n, limited({ perDayMinor: '1000' }))).toMatchObject(charged);
    const live = { ...book, mode: 'LIVE' } as const;
    await test.topUp(live, 10_00n);
    expect(await charge(live, 10_00n, key)).toMatchObject(charged);
  });
});

it('a key that may not spend pays nothing from the balance, and opens payment links', async () => {
  const [book, key] = [await test.fundedBook(), limited({ access: 'no-spending' })];
  expect(await charge(book, 0n, key)).toMatchObject({ outcome: 'refused', reason: 'may-not-spend' });
  expect(await test.open(test.newOrder({ book, spending: key }))).toMatchObject(opened);
});

describe('GET /key', () => {
  const read = async (book: Book, spending: Spending) => {
    const headers = signedCaller({ audience: 'billing', ...book, spending });
    return keyReply.parse(await (await fetch(`${test.url}/key`, { headers })).json());
  };

  it('says what the key may do, and what is left until when', async () => {
    test.clock.set('2026-12-31T12:00:00.000Z');
    const book = await test.fundedBook();
    const key = limited({ access: 'full', perDayMinor: '6000', perMonthMinor: '4000' });
    await charge(book, 12_34n, key);
    expect(await read(book, key)).toEqual({
      environment: 'TEST',
      currency: 'GBP',
      access: 'full',
      spending_limits: {
        day: { limit: 60, left: 47.66, resets_datetime: '2027-01-01T00:00:00.000Z' },
        month: { limit: 40, left: 27.66, resets_datetime: '2027-01-01T00:00:00.000Z' },
      },
    });
  });

  it('has no negative amount after a limit was lowered, and null without one', async () => {
    const [book, key] = [await test.fundedBook(), limited({ access: 'read-only' })];
    await charge(book, 12_34n, { ...key, access: 'full' });
    expect((await read(book, { ...key, perDayMinor: '1000' })).spending_limits).toMatchObject({
      day: { limit: 10, left: 0 },
      month: null,
    });
    expect(await read(book, key)).toMatchObject({
      access: 'read-only',
      spending_limits: { day: null, month: null },
    });
  });
});
