/** When an organisation is told that its balance is low: once for each time that it falls, whatever else happens at the same time. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BalanceLow } from '@offer-ads/contracts/events/billing';
import { fc, runs } from '@offer-ads/testing/profile';
import { chargeOffer } from '../../src/balance/charge-offer.ts';
import { creditUnusedTime, whollyUnused } from '../../src/balance/credit-offer.ts';
import { changeLowBalance, readLowBalance } from '../../src/balance/low-balance.ts';
import { lockOfferPayment } from '../../src/checkouts/payments-store.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { type BillingUnderTest, startBillingUnderTest, untilServed } from '../billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterAll(() => test.finish());

const setThreshold = (book: Book, minor: bigint | null) =>
  changeLowBalance(test.billing.postgres, book, minor);

function charge(book: Book, netMinor: bigint, offerId = test.newOfferId()) {
  return chargeOffer(test.billing, { offerId, book, title: '', netMinor }, test.clock.now());
}

function credit(offerId: number) {
  return test.billing.postgres.transaction(async (tx) => {
    const payment = await lockOfferPayment(tx, offerId);
    if (payment !== undefined) await creditUnusedTime(tx, payment, whollyUnused, test.clock.now());
  });
}

/** The balances and thresholds that were told of, in order. */
async function told(book: Book): Promise<[balance: string, threshold: string][]> {
  const events = await test.emitted(BalanceLow);
  return events
    .filter(({ organisationId }) => organisationId === book.organisationId)
    .map(({ balanceMinor, thresholdMinor }) => [balanceMinor, thresholdMinor]);
}

describe('a threshold', () => {
  it('is kept before anything was ever booked, and for one mode and currency only', async () => {
    const book = test.newBook();
    const none = { mode: 'TEST', currency: 'GBP', thresholdMinor: null, balanceMinor: '0', isLow: false };
    expect(await readLowBalance(test.billing.postgres, book)).toEqual(none);
    const set = { ...none, thresholdMinor: '500', isLow: true };
    expect(await setThreshold(book, 500n)).toEqual(set);
    expect(await readLowBalance(test.billing.postgres, book)).toEqual(set);
    for (const other of [
      { ...book, mode: 'LIVE' as const },
      { ...book, currency: 'EUR' },
    ])
      expect(await readLowBalance(test.billing.postgres, other)).toMatchObject({ thresholdMinor: null });
    await test.topUp(book, 9_00n);
    await charge(book, 5_00n);
    expect(await told(book)).toEqual([['400', '500']]);
  });

  it('set by ten people at once is one of theirs', async () => {
    const book = test.newBook();
    const amounts = Array.from({ length: 10 }, (_, person) => BigInt(person + 1));
    await Promise.all(amounts.map((minor) => setThreshold(book, minor)));
    const { thresholdMinor } = await readLowBalance(test.billing.postgres, book);
    expect(amounts.map(String)).toContain(thresholdMinor);
  });

  it('set above the balance tells nothing, then or later, until the balance was high enough again', async () => {
    const book = test.newBook();
    await test.topUp(book, 10_00n);
    expect(await setThreshold(book, 20_00n)).toMatchObject({ isLow: true });
    await charge(book, 1_00n);
    expect(await told(book)).toEqual([]);
    await test.topUp(book, 11_00n);
    await charge(book, 1n);
    expect(await told(book)).toEqual([['1999', '2000']]);
  });

  it('taken away tells nothing', async () => {
    const book = test.newBook();
    await test.topUp(book, 10_00n);
    await setThreshold(book, 5_00n);
    await setThreshold(book, null);
    await charge(book, 9_00n);
    expect(await told(book)).toEqual([]);
  });
});

it('a credit that lifts the balance to the threshold makes the next fall known, one that does not reach it does not', async () => {
  const book = test.newBook();
  await test.topUp(book, 10_00n);
  await setThreshold(book, 5_00n);
  const [big, small] = [test.newOfferId(), test.newOfferId()];
  await charge(book, 6_00n, big);
  await charge(book, 50n, small);
  await credit(small);
  await charge(book, 1n);
  expect(await told(book)).toEqual([['400', '500']]);
  await credit(big);
  await charge(book, 6_00n);
  expect(await told(book)).toEqual([
    ['400', '500'],
    ['399', '500'],
  ]);
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
  'any story of charges, credits, top-ups and thresholds is told of as somebody with a memory would',
  async () => {
    const live = async (steps: readonly Step[]) => {
      const book = test.newBook();
      const remembered: [string, string][] = [];
      const offers: { readonly id: number; price: bigint }[] = [];
      let balance = 0n;
      let threshold: bigint | null = null;
      let mayTell = false;
      for (const step of steps) {
        if ('topUp' in step) {
          await test.topUp(book, step.topUp);
          balance += step.topUp;
        } else if ('threshold' in step) {
          await setThreshold(book, step.threshold);
          threshold = step.threshold;
        } else if ('charge' in step) {
          const id = test.newOfferId();
          const { outcome } = await charge(book, step.charge, id);
          expect(outcome).toBe(balance >= step.charge ? 'charged' : 'refused');
          if (outcome === 'charged') {
            balance -= step.charge;
            offers.push({ id, price: step.charge });
            if (mayTell && threshold !== null && balance < threshold)
              remembered.push([`${balance}`, `${threshold}`]);
          }
        } else {
          const offer = offers[step.creditOf];
          if (offer === undefined) continue;
          await credit(offer.id);
          balance += offer.price;
          offer.price = 0n;
        }
        mayTell = threshold !== null && balance >= threshold;
      }
      expect(await told(book)).toEqual(remembered);
    };
    await fc.assert(fc.asyncProperty(story, live), { numRuns: runs(25, 500) });
  },
  runs(120_000, 600_000),
);

it(
  '50 bookings at once tell once of each fall that the statement shows',
  async () => {
    for (let round = 0; round < runs(3, 50); round += 1) {
      const book = test.newBook();
      const thresholdMinor = 50n;
      await test.topUp(book, 100n);
      await setThreshold(book, thresholdMinor);
      await Promise.all(
        Array.from({ length: 50 }, (_, place) => {
          const offerId = test.newOfferId();
          return place % 3 === 0 ? test.topUp(book, 30n) : untilServed(() => charge(book, 17n, offerId));
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
      expect(await told(book)).toEqual(falls);
    }
  },
  runs(120_000, 300_000),
);
