/** The statement over HTTP: what it says of each posting, and that its pages fit together whatever is posted meanwhile. */

import { describe, expect, it } from '@jest/globals';
import { revenueReply } from '@offer-ads/contracts/admin/billing-api';
import { type StatementReply, statementReply } from '@offer-ads/contracts/internal/billing-api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { runs } from '@offer-ads/testing/profile';
import { topUpBalance } from '../../src/balance/top-up-balance.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { untilServed, useBilling } from '../billing-under-test.ts';

const test = useBilling();

type Query = { from?: Date; to?: Date; kinds?: string; cursor?: string; limit?: number };
type Entry = StatementReply['entries'][number];

const ask = (book: Book, { from, to, ...rest }: Query) => {
  const period = { ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) };
  const texts = Object.entries({ ...period, ...rest }).map(([name, value]): [string, string] => [
    name,
    `${value}`,
  ]);
  return test.as(book, 'GET', `/statement?${new URLSearchParams(texts).toString()}`);
};
const page = async (book: Book, query: Query = {}): Promise<StatementReply> =>
  statementReply.parse((await ask(book, query)).body);

/** All entries of a period, page by page. The balances before and after them are the same on every page. */
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

/** From the opening balance to the closing one, every entry explains the next balance. */
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

describe('revenue', () => {
  const ask = async (query: string) =>
    revenueReply.parse((await test.admin('GET', `/balances/revenue?${query}`)).body).currencies;
  type Day = Awaited<ReturnType<typeof ask>>[number]['days'][number];
  const figures = ({ fromBalanceMinor, byCardMinor, creditedMinor }: Day) =>
    [fromBalanceMinor, byCardMinor, creditedMinor].join();
  const onDay = (days: readonly Day[] = [], of: string) => days.filter(({ day }) => day === of).map(figures);

  it('is what offers of an organisation cost on each day, without VAT, and what was credited', async () => {
    const book = test.newBook();
    const query = `organisationId=${book.organisationId}&mode=TEST&currency=GBP`;
    test.clock.set('2026-06-01T23:59:59.999Z');
    await test.topUp(book, 50_00n);
    const early = test.newOfferId();
    await test.charge(book, 1_00n, early);
    test.clock.set('2026-06-02T00:00:00.000Z');
    await test.charge(book, 12_00n);
    await test.paidOffer({ book });
    // Its offers are charged from the balance to which the card pays.
    await test.paidGroup([3_00n, 4_00n], { book });
    await test.chargeGroup(test.newGroup([5_00n, 6_00n], { book }));
    test.clock.set('2026-07-01T23:59:59.999Z');
    await test.charge(book, 2_00n);
    await test.credit(early);
    const [latest] = await ask(query);
    expect(latest?.days).toHaveLength(30);
    expect(latest?.days[0]).toMatchObject({ day: '2026-06-02' });
    expect(latest?.days.map(figures).filter((day) => day !== '0,0,0')).toEqual(['2300,1700,0', '200,0,100']);
    const [june] = await ask(`${query}&month=2026-06`);
    expect(june?.days).toHaveLength(30);
    expect(june?.days.slice(0, 3).map(figures)).toEqual(['100,0,0', '2300,1700,0', '0,0,0']);
    const [july] = await ask(`${query}&month=2026-07`);
    expect(july?.days).toEqual([
      { day: '2026-07-01', fromBalanceMinor: '200', byCardMinor: '0', creditedMinor: '100' },
    ]);
    for (const other of ['&month=2026-08', '&month=2026-05'])
      expect(await ask(`${query}${other}`)).toEqual([]);
    expect(await ask(query.replace('TEST', 'LIVE'))).toEqual([]);
  });

  it('of the whole platform is that of all organisations, each currency and mode apart, to the penny', async () => {
    const month = 'month=2026-09';
    test.clock.set('2026-09-05T10:00:00.000Z');
    const books = [{}, {}, { currency: 'EUR' }, { mode: 'LIVE' } as const].map((facts) =>
      test.newBook(facts),
    );
    for (const [index, book] of books.entries()) {
      await test.topUp(book, 100_00n);
      const offerId = test.newOfferId();
      await test.charge(book, BigInt(10_00 + index), offerId);
      await test.paidOffer({ book });
      await test.credit(offerId, { unusedMs: 1, scheduledMs: 2 });
    }
    const currencies = await ask(`mode=TEST&${month}`);
    expect(currencies.map(({ currency, days }) => [currency, ...onDay(days, '2026-09-05')])).toEqual([
      ['EUR', '1002,1000,501'],
      ['GBP', '2001,2000,1001'],
    ]);
    expect(onDay((await ask(`mode=LIVE&${month}`))[0]?.days, '2026-09-05')).toEqual(['1003,1000,502']);
    expect(await ask(`mode=TEST&currency=EUR&${month}`)).toEqual([currencies[0]]);
    const sums = await test.billing.postgres.query(
      `SELECT a.mode, a.currency, sum(amount_minor)::text AS net
         FROM transactions JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
        WHERE a.kind IN ('sales', 'unused-time-credits') AND booked_at >= '2026-09-01Z'
        GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(sums).toEqual([
      { mode: 'LIVE', currency: 'GBP', net: '1501' },
      { mode: 'TEST', currency: 'EUR', net: '1501' },
      { mode: 'TEST', currency: 'GBP', net: '3000' },
    ]);
  });
});

describe('a statement', () => {
  it('says of every posting what it was, how it changed the balance, and what was paid by card', async () => {
    const book = test.newBook();
    const at = test.clock.now();
    await topUpBalance(test.billing.postgres, { book, amountMinor: 50_00n, reference: 'bank 4711' }, at);
    const charged = test.newOfferId();
    await test.charge(book, 12_00n, charged);
    const { offerId: paid } = await test.paidOffer({ book });
    await test.credit(charged, { unusedMs: 1, scheduledMs: 4 });
    const entry = { bookedAt: at.toISOString(), groupId: null, title: 'Two for one', card: null };
    const entries = [
      {
        ...entry,
        kind: 'unused-time-credit',
        offerId: charged,
        cause: `offer ${charged} credited up to 300`,
        amountMinor: '300',
        balanceMinor: '4100',
      },
      {
        ...entry,
        kind: 'offer-card-payment',
        offerId: paid,
        cause: `offer ${paid} paid by card`,
        amountMinor: '0',
        balanceMinor: '3800',
        card: { netMinor: '1000', vatMinor: '200' },
      },
      {
        ...entry,
        kind: 'offer-charge',
        offerId: charged,
        cause: `offer ${charged} charged`,
        amountMinor: '-1200',
        balanceMinor: '3800',
      },
      {
        ...entry,
        kind: 'platform-top-up',
        offerId: null,
        title: null,
        cause: 'top-up bank 4711',
        amountMinor: '5000',
        balanceMinor: '5000',
      },
    ];
    const balances = { openingBalanceMinor: '0', closingBalanceMinor: '4100' };
    const card = { netMinor: '1000', vatMinor: '200' };
    const sums = { entries: 4, addedMinor: '5300', deductedMinor: '-1200', card };
    const statement = { mode: 'TEST', currency: 'GBP', ...balances, sums, entries, nextCursor: null };
    expect(await page(book)).toEqual(statement);
    const query = `organisationId=${book.organisationId}&mode=TEST&currency=GBP`;
    expect((await test.admin('GET', `/balances/statement?${query}`)).body).toEqual(statement);
  });

  it('is empty without postings, and shows those of no other organisation, mode or currency', async () => {
    const book = test.newBook();
    const empty = { openingBalanceMinor: '0', closingBalanceMinor: '0', entries: [], nextCursor: null };
    expect(await page(book)).toMatchObject(empty);
    await test.topUp(book, 5n);
    for (const other of [{ ...book, mode: 'LIVE' as const }, { ...book, currency: 'EUR' }, test.newBook()])
      expect(await page(other)).toMatchObject(empty);
    expect((await page(book)).entries).toHaveLength(1);
  });

  it('of a period has the postings from its first instant until just before its last, between two balances', async () => {
    const book = test.newBook();
    const start = test.clock.now().getTime();
    const day = (count: number) => new Date(start + count * DAY_MS);
    for (const amount of [1_00n, 20_00n, 300_00n]) {
      await test.topUp(book, amount);
      test.clock.advance(DAY_MS);
    }
    const summary = async (query: Query) => {
      const { openingBalanceMinor, closingBalanceMinor, entries } = await page(book, query);
      return [openingBalanceMinor, ...entries.map((entry) => entry.amountMinor), closingBalanceMinor];
    };
    expect(await summary({ from: day(1), to: day(2) })).toEqual(['100', '2000', '2100']);
    expect(await summary({ from: day(1) })).toEqual(['100', '30000', '2000', '32100']);
    expect(await summary({ to: day(2) })).toEqual(['0', '2000', '100', '2100']);
    expect(await summary({ from: new Date(start + 1), to: day(1) })).toEqual(['100', '100']);
    expect(await summary({ from: day(3) })).toEqual(['32100', '32100']);
    expect(await summary({ to: day(0) })).toEqual(['0', '0']);
  });
});

describe('some kinds alone', () => {
  /** The sums that the entries have. */
  const sumsOf = (entries: readonly Entry[]) => {
    const total = (amounts: readonly (string | undefined)[]) =>
      `${amounts.reduce((sum, amount) => sum + BigInt(amount ?? 0), 0n)}`;
    const changes = entries.map((entry) => entry.amountMinor);
    const cards = entries.flatMap(({ card }) => card ?? []);
    return {
      entries: entries.length,
      addedMinor: total(changes.filter((change) => !change.startsWith('-'))),
      deductedMinor: total(changes.filter((change) => change.startsWith('-'))),
      card:
        cards.length === 0
          ? null
          : {
              netMinor: total(cards.map(({ netMinor }) => netMinor)),
              vatMinor: total(cards.map(({ vatMinor }) => vatMinor)),
            },
    };
  };

  it('are the same lines with their sums, page by page while more is booked, and the balances are those of all', async () => {
    const book = test.newBook();
    for (let round = 0; round < 4; round += 1) {
      const offerId = test.newOfferId();
      await test.topUp(book, BigInt(20_00 + round));
      await test.charge(book, BigInt(10_00 + round), offerId);
      await test.paidOffer({ book });
      await test.credit(offerId, { unusedMs: 1, scheduledMs: 2 });
    }
    const refunded = await test.paidGroup([3_00n, 4_00n], { book });
    await test.takeBack(refunded);
    const all = await page(book);
    expect(all.sums).toEqual(sumsOf(all.entries));
    expect(all.entries.filter(({ groupId }) => groupId !== null)).toMatchObject([
      { kind: 'group-card-payment', groupId: refunded.groupId },
    ]);
    for (const kinds of [
      'unused-time-credit',
      'offer-charge,offer-card-payment',
      'offer-card-payment,group-card-payment,card-top-up',
      'platform-top-up',
      'card-refund,card-dispute',
      'play-money',
    ]) {
      const wanted = all.entries.filter(({ kind }) => kinds.split(',').includes(kind));
      for (const limit of [1, 3, 50]) {
        const { closingBalanceMinor } = await page(book);
        const walked = await walk(book, { kinds, limit }, () => test.topUp(book, 1n));
        const isNewer = ({ amountMinor }: Entry) => amountMinor === '1';
        expect(walked.entries.filter((entry) => !isNewer(entry))).toEqual(wanted);
        expect(walked.sums).toEqual(sumsOf(walked.entries));
        expect([walked.openingBalanceMinor, walked.closingBalanceMinor]).toEqual(['0', closingBalanceMinor]);
      }
    }
  });

  it('of a period go on only with the cursor of these kinds', async () => {
    const book = test.newBook();
    for (let entries = 0; entries < 3; entries += 1) await test.topUp(book, 1n);
    const kinds = 'platform-top-up,offer-charge';
    const cursor = (await page(book, { kinds, limit: 1 })).nextCursor ?? '';
    expect((await page(book, { kinds: 'offer-charge,platform-top-up', cursor })).entries).toHaveLength(2);
    for (const others of [undefined, 'platform-top-up', 'card-refund'])
      expect(await ask(book, { cursor, ...(others && { kinds: others }) })).toMatchObject({ status: 400 });
  });
});

describe('pages', () => {
  it('of any length add up to the same statement', async () => {
    const book = test.newBook();
    await test.topUp(book, 100_00n);
    for (let offers = 0; offers < 12; offers += 1) {
      await test.charge(book, 1_00n);
      if (offers % 5 === 0) test.clock.advance(1);
    }
    const { entries } = await page(book);
    for (const limit of [1, 2, 5, 12, 13, 14]) {
      const walked = await walk(book, { limit });
      expect(walked.entries).toEqual(entries);
      expectExplained(walked);
    }
  });

  it('after the first show nothing that was posted since, even by a replica whose clock is behind', async () => {
    const book = test.newBook();
    const start = test.clock.now();
    for (let entries = 0; entries < 6; entries += 1) await test.topUp(book, 1_00n);
    const before = await page(book);
    let behindMs = start.getTime();
    const walked = await walk(book, { limit: 2 }, async () => {
      behindMs -= 3_600_000;
      await test.charge(book, 1n, test.newOfferId(), new Date(behindMs));
    });
    expect(walked.entries).toEqual(before.entries);
    expect(walked.closingBalanceMinor).toBe('600');
    // No posting has an earlier time than the one before it.
    const now = await walk(book, { limit: 2 });
    expectExplained(now);
    expect(now.entries.map((entry) => entry.kind).slice(0, 2)).toEqual(['offer-charge', 'offer-charge']);
    expect(new Set(now.entries.map((entry) => entry.bookedAt))).toEqual(new Set([start.toISOString()]));
  });

  it('refuse a cursor of another period or another book, and what is no cursor', async () => {
    const book = test.newBook();
    for (let entries = 0; entries < 3; entries += 1) await test.topUp(book, 1n);
    const cursor = (await page(book, { limit: 1 })).nextCursor ?? '';
    expect((await page(book, { cursor })).entries).toHaveLength(2);
    const longAgo = { from: new Date(-1), to: new Date('9999-12-31') };
    const inPeriod = (await page(book, { limit: 1, ...longAgo })).nextCursor ?? '';
    expect((await page(book, { cursor: inPeriod, ...longAgo })).entries).toHaveLength(2);
    const refused = { status: 400, body: { message: expect.stringMatching(/^cursor: /) } };
    for (const [of, query] of [
      [book, { cursor, from: new Date(0) }],
      [book, { cursor, to: new Date(0) }],
      [book, { ...longAgo, cursor: inPeriod, from: new Date(0) }],
      [book, { cursor: inPeriod }],
      [test.newBook(), { cursor }],
      [{ ...book, mode: 'LIVE' }, { cursor }],
      [book, { cursor: 'nonsense' }],
      [book, { cursor: Buffer.from('1~2').toString('base64url') }],
    ] satisfies [Book, Query][])
      expect(await ask(of, query)).toMatchObject(refused);
  });
});

it(
  'readers who page while 50 postings race each get a statement that explains itself to the penny',
  async () => {
    for (let round = 0; round < runs(2, 60); round += 1) {
      const book = test.newBook();
      await test.topUp(book, 20_00n);
      const early = Array.from({ length: 10 }, () => test.newOfferId());
      for (const offerId of early) await test.charge(book, 1_00n, offerId);
      const cards = await Promise.all(Array.from({ length: 5 }, () => test.openOffer({ book })));

      const race = { over: false };
      const postings = Promise.all([
        ...Array.from({ length: 20 }, async (_, place) => {
          // Replicas' clocks differ, and some charges are more than the balance.
          const at = new Date(test.clock.now().getTime() + (place % 5) * 700 - 1_400);
          const offerId = test.newOfferId();
          await untilServed(() => test.charge(book, BigInt(50 + place * 10), offerId, at));
        }),
        ...Array.from({ length: 15 }, () => test.topUp(book, 77n)),
        ...early.map((offerId) => untilServed(() => test.credit(offerId))),
        ...cards.map(async (card) => {
          await test.pay(card.sessionId);
          await test.untilPaid(card);
        }),
      ]).finally(() => {
        race.over = true;
      });
      const readers = Array.from({ length: 3 }, async (_, reader) => {
        let walks = 0;
        while (!race.over || walks === 0) {
          expectExplained(await walk(book, { limit: 2 + reader * 3 }));
          walks += 1;
        }
      });
      await Promise.all([postings, ...readers]);

      const whole = await walk(book, { limit: 7 });
      expectExplained(whole);
      expect(whole.closingBalanceMinor).toBe(`${await test.balance(book)}`);
      const count = (kind: Entry['kind']) => whole.entries.filter((entry) => entry.kind === kind).length;
      expect([count('offer-card-payment'), count('platform-top-up')]).toEqual([cards.length, 16]);
    }
  },
  runs(120_000, 300_000),
);
