/** The low-balance threshold over HTTP, and the notice: one for each fall, whatever else happens at the same time. */
import { describe, expect, it } from '@jest/globals';
import { BalanceLow } from '@offer-ads/contracts/events/billing';
import { lowBalanceReply } from '@offer-ads/contracts/internal/billing-api';
import { fc, runs } from '@offer-ads/testing/profile';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { untilServed, useBilling } from '../billing-under-test.ts';

const test = useBilling();

const path = '/low-balance-threshold';
const setThreshold = async (book: Book, minor: bigint | null) => {
  const thresholdMinor = minor === null ? null : `${minor}`;
  return lowBalanceReply.parse((await test.as(book, 'PUT', path, { thresholdMinor })).body);
};
const readThreshold = async (book: Book) => lowBalanceReply.parse((await test.as(book, 'GET', path)).body);

/** The balances and thresholds of the notices, in order. */
const notices = async (book: Book): Promise<[balance: string, threshold: string][]> =>
  (await test.emitted(BalanceLow, book)).map(({ balanceMinor, thresholdMinor }) => [
    balanceMinor,
    thresholdMinor,
  ]);

describe('a threshold', () => {
  it('is stored before the first posting, for one mode and currency, by the organisation or the platform team', async () => {
    const book = test.newBook();
    const none = { mode: 'TEST', currency: 'GBP', thresholdMinor: null, balanceMinor: '0', isLow: false };
    expect(await readThreshold(book)).toEqual(none);
    const set = { ...none, thresholdMinor: '500', isLow: true };
    expect(await setThreshold(book, 500n)).toEqual(set);
    expect(await readThreshold(book)).toEqual(set);
    for (const other of [
      { ...book, mode: 'LIVE' as const },
      { ...book, currency: 'EUR' },
    ])
      expect(await readThreshold(other)).toMatchObject({ thresholdMinor: null });
    await test.topUp(book, 5_00n);
    expect(await readThreshold(book)).toMatchObject({ balanceMinor: '500', isLow: false });
    await test.topUp(book, 4_00n);
    await test.charge(book, 5_00n);
    expect(await notices(book)).toEqual([['400', '500']]);

    const query = `organisationId=${book.organisationId}&mode=TEST&currency=GBP`;
    const low = { ...set, balanceMinor: '400' };
    expect((await test.admin('GET', `/balances/threshold?${query}`)).body).toEqual(low);
    const removed = await test.admin('PUT', '/balances/threshold', { ...book, thresholdMinor: null });
    expect(removed.body).toEqual({ ...low, thresholdMinor: null, isLow: false });
  });

  it.each([
    [{}],
    [{ thresholdMinor: '0' }],
    [{ thresholdMinor: '-5' }],
    [{ thresholdMinor: '1.5' }],
    [{ thresholdMinor: 5 }],
    [{ thresholdMinor: '9'.repeat(19) }],
    [undefined],
  ])('of %j is refused with a 400 that names the field, and the old one stays', async (body) => {
    const book = test.newBook();
    await setThreshold(book, 7n);
    const refusal = { status: 400, body: { message: expect.stringMatching(/^thresholdMinor: /) } };
    expect(await test.as(book, 'PUT', path, body)).toMatchObject(refusal);
    expect((await readThreshold(book)).thresholdMinor).toBe('7');
  });

  it('may be the greatest amount of money', async () => {
    const most = '9'.repeat(18);
    const set = { thresholdMinor: most, isLow: true };
    expect(await setThreshold(test.newBook(), BigInt(most))).toMatchObject(set);
  });

  it('set by ten people at once is that of one of them', async () => {
    const book = test.newBook();
    const amounts = Array.from({ length: 10 }, (_, person) => BigInt(person + 1));
    await Promise.all(amounts.map((minor) => setThreshold(book, minor)));
    expect(amounts.map(String)).toContain((await readThreshold(book)).thresholdMinor);
  });
});

type Step =
  | { readonly charge: bigint }
  | { readonly topUp: bigint }
  | { readonly creditOf: number }
  | { readonly threshold: bigint | null };
const amount = fc.bigInt({ min: 1n, max: 12n });
const story = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    amount.map((minor) => ({ charge: minor })),
    amount.map((minor) => ({ topUp: minor })),
    fc.nat(5).map((offer) => ({ creditOf: offer })),
    fc.option(amount, { nil: null }).map((minor) => ({ threshold: minor })),
  ),
  { minLength: 5, maxLength: 25 },
);

it(
  'any charges, credits, top-ups and thresholds send one notice for each fall, as a model with a memory says',
  async () => {
    const live = async (steps: readonly Step[]) => {
      const book = test.newBook();
      const expected: [string, string][] = [];
      const offers: { readonly id: number; price: bigint }[] = [];
      let balance = 0n;
      let threshold: bigint | null = null;
      let wasHighEnough = false;
      for (const step of steps) {
        if ('topUp' in step) {
          await test.topUp(book, step.topUp);
          balance += step.topUp;
        } else if ('threshold' in step) {
          await setThreshold(book, step.threshold);
          threshold = step.threshold;
        } else if ('charge' in step) {
          const id = test.newOfferId();
          const { outcome } = await test.charge(book, step.charge, id);
          expect(outcome).toBe(balance >= step.charge ? 'charged' : 'refused');
          if (outcome === 'charged') {
            balance -= step.charge;
            offers.push({ id, price: step.charge });
            if (wasHighEnough && threshold !== null && balance < threshold)
              expected.push([`${balance}`, `${threshold}`]);
          }
        } else {
          const offer = offers[step.creditOf];
          if (offer === undefined) continue;
          await test.credit(offer.id);
          balance += offer.price;
          offer.price = 0n;
        }
        wasHighEnough = threshold !== null && balance >= threshold;
      }
      expect(await notices(book)).toEqual(expected);
    };
    const examples: Step[][] = [
      // Above the balance from the start; and one that was removed.
      [{ topUp: 10n }, { threshold: 12n }, { charge: 1n }, { topUp: 11n }, { charge: 9n }],
      [{ topUp: 10n }, { threshold: 5n }, { threshold: null }, { charge: 9n }],
    ];
    await fc.assert(fc.asyncProperty(story, live), {
      numRuns: runs(25, 500),
      examples: examples.map((steps): [Step[]] => [steps]),
    });
  },
  runs(120_000, 600_000),
);

it(
  '50 postings at once send one notice for each fall that the statement shows',
  async () => {
    for (let round = 0; round < runs(3, 50); round += 1) {
      const book = test.newBook();
      const thresholdMinor = 50n;
      await test.topUp(book, 100n);
      await setThreshold(book, thresholdMinor);
      await Promise.all(
        Array.from({ length: 50 }, (_, place) => {
          const offerId = test.newOfferId();
          return place % 3 === 0 ? test.topUp(book, 30n) : untilServed(() => test.charge(book, 17n, offerId));
        }),
      );
      const { entries } = await readStatement(test.billing.postgres, book, { limit: 100 });
      const falls = entries
        .toReversed()
        .filter(
          ({ amountMinor, balanceMinor }) =>
            BigInt(balanceMinor) < thresholdMinor &&
            BigInt(balanceMinor) - BigInt(amountMinor) >= thresholdMinor,
        )
        .map(({ balanceMinor }) => [balanceMinor, '50']);
      expect(falls.length).toBeGreaterThan(0);
      expect(await notices(book)).toEqual(falls);
    }
  },
  runs(120_000, 300_000),
);
