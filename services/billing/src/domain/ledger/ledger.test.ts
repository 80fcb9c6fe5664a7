import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import {
  type Book,
  balanceToppedUp,
  entriesOf,
  type LedgerTransaction,
  movesMoney,
  offerCharged,
  offerPaidByCard,
  unusedTimeCredited,
} from './ledger.ts';

const book: Book = { organisationId: 1, mode: 'TEST', currency: 'GBP' };
const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });

describe('the entries', () => {
  it('of Unused Time go from the account of credits to the balance, never from sales', () => {
    const credit = unusedTimeCredited(book, 7, { amountMinor: 3n, creditedSoFarMinor: 5n });
    expect(entriesOf(credit)).toEqual([
      { account: 'unused-time-credits', amountMinor: -3n },
      { account: 'prepaid-balance', amountMinor: 3n },
    ]);
  });

  it('of a price of 0 do not exist', () => {
    expect(movesMoney(offerCharged(book, 7, 0n))).toBe(false);
    expect(movesMoney(offerCharged(book, 7, 1n))).toBe(true);
  });

  it('of a negative posting cannot be made', () => {
    expect(() => entriesOf(offerCharged(book, 7, -1n))).toThrow(RangeError);
  });
});

describe('every transaction', () => {
  const transactions = fc.oneof<fc.Arbitrary<LedgerTransaction>[]>(
    amount.map((netMinor) => offerCharged(book, 1, netMinor)),
    fc.record({ netMinor: amount, vatMinor: amount }).map((paid) => offerPaidByCard(book, 1, paid)),
    amount.map((amountMinor) =>
      unusedTimeCredited(book, 1, { amountMinor, creditedSoFarMinor: amountMinor }),
    ),
    amount.map((amountMinor) => balanceToppedUp(book, 'r', amountMinor)),
  );

  it('sums to zero, names each account once and has no entry of 0', () => {
    fc.assert(
      fc.property(transactions, (transaction) => {
        const entries = entriesOf(transaction);
        expect(entries.reduce((sum, entry) => sum + entry.amountMinor, 0n)).toBe(0n);
        expect(new Set(entries.map((entry) => entry.account)).size).toBe(entries.length);
        expect(entries.every((entry) => entry.amountMinor !== 0n)).toBe(true);
      }),
    );
  });

  it('has a cause of its own for each thing that may happen once', () => {
    const causes = [
      offerCharged(book, 1, 1n),
      offerCharged(book, 2, 1n),
      offerPaidByCard(book, 1, { netMinor: 1n, vatMinor: 0n }),
      unusedTimeCredited(book, 1, { amountMinor: 1n, creditedSoFarMinor: 1n }),
      unusedTimeCredited(book, 1, { amountMinor: 1n, creditedSoFarMinor: 2n }),
      balanceToppedUp(book, '1', 1n),
    ].map((transaction) => transaction.cause);
    expect(new Set(causes).size).toBe(causes.length);
  });
});
