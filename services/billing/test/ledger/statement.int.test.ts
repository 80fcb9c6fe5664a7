/** The statement on a real ledger: what it says of each booking, and that its pages fit together whatever is booked meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type StatementReply, statementReply } from '@offer-ads/contracts/internal/billing-api';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { chargeOffer } from '../../src/balance/charge-offer.ts';
import { creditUnusedTime, whollyUnused } from '../../src/balance/credit-offer.ts';
import { topUpBalance } from '../../src/balance/top-up-balance.ts';
import { findOfferPayment, lockOfferPayment } from '../../src/checkouts/payments-store.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { type BillingUnderTest, startBillingUnderTest, untilServed } from '../billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterAll(() => test.finish());

type Query = { from?: Date; to?: Date; cursor?: string; limit?: number };
type Entry = StatementReply['entries'][number];

async function page(book: Book, query: Query = {}): Promise<StatementReply> {
  return statementReply.parse(await readStatement(test.billing.postgres, book, { limit: 50, ...query }));
}

/** All entries of a period, page by page; the balances that enclose them are the same on every page. */
async function walk(book: Book, query: Query = {}, between: () => Promise<unknown> = async () => {}) {
  const first = await page(book, query);
  const entries: Entry[] = [...first.entries];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    await between();
    const next = await page(book, { ...query, cursor });
    expect(next.openingBalanceMinor).toBe(first.openingBalanceMinor);
    expect(next.closingBalanceMinor).toBe(first.closingBalanceMinor);
    expect(next.entries.length).toBeGreaterThan(0);
    entries.push(...next.entries);
    cursor = next.nextCursor;
  }
  return { ...first, entries };
}

/** From the opening balance upwards every entry explains the next balance, up to the closing one. */
function expectExplained(o: Awaited<ReturnType<typeof walk>>): void {
  let balance = BigInt(o.openingBalanceMinor);
  let time = '';
  for (const entry of o.entries.toReversed()) {
    balance += BigInt(entry.amountMinor);
    expect(entry.balanceMinor).toBe(`${balance}`);
    expect(entry.bookedAt >= time).toBe(true);
    time = entry.bookedAt;
  }
  expect(o.closingBalanceMinor).toBe(`${balance}`);
  expect(new Set(o.entries.map((entry) => entry.cause)).size).toBe(o.entries.length);
}

function charge(book: Book, netMinor: bigint, offerId = test.newOfferId(), at = test.clock.now()) {
  return chargeOffer(test.billing, { offerId, book, title: 'Two for one', netMinor }, at);
}

function credit(offerId: number, unused = whollyUnused) {
  return test.billing.postgres.transaction(async (tx) => {
    const payment = await lockOfferPayment(tx, offerId);
    if (payment !== undefined) await creditUnusedTime(tx, payment, unused, test.clock.now());
  });
}

/** Until the provider's word of it has been booked. */
async function pay(checkout: { readonly offerId: number; readonly sessionId: string }): Promise<void> {
  await test.pay(checkout.sessionId);
  await eventually(async () => {
    expect(await findOfferPayment(test.billing.postgres, checkout.offerId)).toMatchObject({
      checkout: { state: 'paid' },
    });
  });
}

describe('a statement', () => {
  it('says of every booking what it was, what it did to the balance, and what the card provider took', async () => {
    const book = test.newBook();
    const at = test.clock.now().toISOString();
    const topUp = { book, amountMinor: 50_00n, reference: 'bank transfer 4711' };
    await topUpBalance(test.billing.postgres, topUp, test.clock.now());
    const charged = test.newOfferId();
    await charge(book, 12_00n, charged);
    const checkout = await test.openOffer({ book });
    await pay(checkout);
    const paid = checkout.offerId;
    await credit(charged, { unusedMs: 1, scheduledMs: 4 });
    expect(await page(book)).toEqual({
      mode: 'TEST',
      currency: 'GBP',
      openingBalanceMinor: '0',
      closingBalanceMinor: '4100',
      entries: [
        {
          bookedAt: at,
          kind: 'unused-time-credit',
          offerId: charged,
          title: 'Two for one',
          cause: `offer ${charged} credited up to 300`,
          amountMinor: '300',
          balanceMinor: '4100',
          card: null,
        },
        {
          bookedAt: at,
          kind: 'offer-card-payment',
          offerId: paid,
          title: 'Two for one',
          cause: `offer ${paid} paid by card`,
          amountMinor: '0',
          balanceMinor: '3800',
          card: { netMinor: '1000', vatMinor: '200' },
        },
        {
          bookedAt: at,
          kind: 'offer-charge',
          offerId: charged,
          title: 'Two for one',
          cause: `offer ${charged} charged`,
          amountMinor: '-1200',
          balanceMinor: '3800',
          card: null,
        },
        {
          bookedAt: at,
          kind: 'platform-top-up',
          offerId: null,
          title: null,
          cause: 'top-up bank transfer 4711',
          amountMinor: '5000',
          balanceMinor: '5000',
          card: null,
        },
      ],
      nextCursor: null,
    });
  });

  it('of nothing is empty, and of one organisation, mode and currency shows no other', async () => {
    const book = test.newBook();
    const empty = { openingBalanceMinor: '0', closingBalanceMinor: '0', entries: [], nextCursor: null };
    expect(await page(book)).toMatchObject(empty);
    await test.topUp(book, 5n);
    for (const other of [{ ...book, mode: 'LIVE' as const }, { ...book, currency: 'EUR' }, test.newBook()])
      expect(await page(other)).toMatchObject(empty);
    expect((await page(book)).entries).toHaveLength(1);
  });
});

describe('a period', () => {
  it('has what was booked from its first instant until just before its last, between two balances', async () => {
    const book = test.newBook();
    const days: Date[] = [];
    for (const amount of [1_00n, 20_00n, 300_00n]) {
      days.push(test.clock.now());
      await test.topUp(book, amount);
      test.clock.advance(24 * 3_600_000);
    }
    const [first, second, third] = days;
    if (first === undefined || second === undefined || third === undefined) throw new Error('three days');
    const summary = async (query: Query) => {
      const { openingBalanceMinor, closingBalanceMinor, entries } = await page(book, query);
      return [openingBalanceMinor, ...entries.map((entry) => entry.amountMinor), closingBalanceMinor];
    };
    expect(await summary({ from: second, to: third })).toEqual(['100', '2000', '2100']);
    expect(await summary({ from: second })).toEqual(['100', '30000', '2000', '32100']);
    expect(await summary({ to: third })).toEqual(['0', '2000', '100', '2100']);
    expect(await summary({ from: new Date(first.getTime() + 1), to: second })).toEqual(['100', '100']);
    expect(await summary({ from: test.clock.now() })).toEqual(['32100', '32100']);
    expect(await summary({ to: first })).toEqual(['0', '0']);
  });
});

describe('pages', () => {
  it('of any length come to the same statement', async () => {
    const book = test.newBook();
    await test.topUp(book, 100_00n);
    for (let offers = 0; offers < 12; offers += 1) {
      await charge(book, 1_00n);
      if (offers % 5 === 0) test.clock.advance(1);
    }
    const { entries } = await page(book);
    for (const limit of [1, 2, 5, 12, 13, 14]) {
      const walked = await walk(book, { limit });
      expect(walked.entries).toEqual(entries);
      expectExplained(walked);
    }
  });

  it('after the first show nothing that was booked since, whatever clock it was booked by', async () => {
    const book = test.newBook();
    const start = test.clock.now();
    for (let entries = 0; entries < 6; entries += 1) await test.topUp(book, 1_00n);
    const before = await page(book);
    let replicaBehind = start.getTime();
    const walked = await walk(book, { limit: 2 }, async () => {
      replicaBehind -= 3_600_000;
      await charge(book, 1n, test.newOfferId(), new Date(replicaBehind));
    });
    expect(walked.entries).toEqual(before.entries);
    expect(walked.closingBalanceMinor).toBe('600');
    // No booking stands before the one that it came after.
    const now = await walk(book, { limit: 2 });
    expectExplained(now);
    expect(now.entries.map((entry) => entry.kind).slice(0, 2)).toEqual(['offer-charge', 'offer-charge']);
    expect(new Set(now.entries.map((entry) => entry.bookedAt))).toEqual(new Set([start.toISOString()]));
  });

  it('refuse a cursor of another period, of another book, and what never was one', async () => {
    const book = test.newBook();
    for (let entries = 0; entries < 3; entries += 1) await test.topUp(book, 1n);
    const { nextCursor } = await page(book, { limit: 1 });
    const cursor = nextCursor ?? '';
    expect((await page(book, { cursor })).entries).toHaveLength(2);
    const refused = { status: 400, publicBody: { message: expect.stringMatching(/^cursor: /) } };
    for (const [of, query] of [
      [book, { cursor, from: new Date(0) }],
      [book, { cursor, to: new Date(0) }],
      [test.newBook(), { cursor }],
      [{ ...book, mode: 'LIVE' }, { cursor }],
      [book, { cursor: 'nonsense' }],
    ] satisfies [Book, Query][])
      await expect(page(of, query)).rejects.toMatchObject(refused);
  });
});

it(
  'readers who page while 50 bookings race each get a statement that explains itself to the penny',
  async () => {
    for (let round = 0; round < runs(3, 60); round += 1) {
      const book = test.newBook();
      await test.topUp(book, 20_00n);
      const early = Array.from({ length: 10 }, () => test.newOfferId());
      for (const offerId of early) await charge(book, 1_00n, offerId);
      const cards = await Promise.all(Array.from({ length: 5 }, () => test.openOffer({ book })));

      const race = { over: false };
      const bookings = Promise.all([
        ...Array.from({ length: 20 }, async (_, place) => {
          // Replicas' clocks differ, and some charges cannot be afforded.
          const at = new Date(test.clock.now().getTime() + (place % 5) * 700 - 1_400);
          const offerId = test.newOfferId();
          await untilServed(() => charge(book, BigInt(50 + place * 10), offerId, at));
        }),
        ...Array.from({ length: 15 }, () => test.topUp(book, 77n)),
        ...early.map((offerId) => untilServed(() => credit(offerId))),
        ...cards.map(pay),
      ]).finally(() => {
        race.over = true;
      });
      const readers = Array.from({ length: 3 }, async (_, reader) => {
        let walks = 0;
        while (!race.over || walks === 0) {
          expectExplained(await untilServed(() => walk(book, { limit: 2 + reader * 3 })));
          walks += 1;
        }
      });
      await Promise.all([bookings, ...readers]);

      const whole = await walk(book, { limit: 7 });
      expectExplained(whole);
      expect(whole.closingBalanceMinor).toBe(`${await balanceOf(test.billing.postgres, book)}`);
      expect(whole.entries.filter((entry) => entry.kind === 'offer-card-payment')).toHaveLength(cards.length);
      expect(whole.entries.filter((entry) => entry.kind === 'platform-top-up')).toHaveLength(16);
    }
  },
  runs(120_000, 300_000),
);
