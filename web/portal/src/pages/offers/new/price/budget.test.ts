import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fieldAmount } from '../../../../amounts/amount-fields.ts';
import { budgetFault, lengthText, MAX_DAYS, minutesFor } from './budget.ts';

const priced = { matching_users: 1_000, ad_unit_price: 0.001, currency: 'GBP' };

describe('a budget', () => {
  test('pays for as many hours as its amount holds of the price of an hour', () => {
    // 1,000 members cost a pound an hour. The price of a unit may be half a millionth higher than shown.
    expect(minutesFor(100_00n, priced)).toBe(Math.floor(6_000 / 1.0005));
  });
  test('that pays for less than a minute pays for nothing', () => {
    expect(minutesFor(1n, priced)).toBe(0);
  });
  test('has no answer without a price or without members', () => {
    expect(minutesFor(100_00n, { ...priced, ad_unit_price: null })).toBeNull();
    expect(minutesFor(100_00n, { ...priced, matching_users: 0 })).toBeNull();
  });
  test('pays for a year at most', () => {
    expect(minutesFor(10n ** 15n, priced)).toBe(MAX_DAYS * 24 * 60);
  });

  test('is never exceeded by the price that the service calculates, and leaves three thousandths and two minutes at most', () => {
    const unitPrice = fc.integer({ min: 50_000, max: 50_000_000 });
    const members = fc.integer({ min: 1, max: 5_000_000 });
    const budget = fc.bigInt({ min: 1n, max: 100_000_00n });
    fc.assert(
      fc.property(unitPrice, members, budget, (scaled, matching_users, budgetMinor) => {
        const ad_unit_price = Math.round(scaled / 100) / 1_000_000;
        const minutes = minutesFor(budgetMinor, { matching_users, ad_unit_price, currency: 'GBP' }) ?? 0;
        expect(costMinor(minutes, matching_users, scaled)).toBeLessThanOrEqual(Number(budgetMinor) + 1e-6);
        if (minutes < MAX_DAYS * 24 * 60) {
          const longer = costMinor(minutes * 1.003 + 2, matching_users, scaled);
          expect(longer).toBeGreaterThanOrEqual(Number(budgetMinor) - 1);
        }
      }),
    );
  });
});

/** As in the specification, Price rules 1 and 2. */
function costMinor(minutes: number, members: number, scaledPrice: number): number {
  const adUnits = Math.round((minutes / 60) * members * 100) / 100;
  return Math.round(((adUnits * scaledPrice) / 100_000_000) * 100);
}

test('a length has its two largest units', () => {
  expect(lengthText(3 * 1_440 + 4 * 60 + 5)).toBe('3 days and 4 hours');
  expect(lengthText(1_440 + 5)).toBe('1 day');
  expect(lengthText(61)).toBe('1 hour and 1 minute');
  expect(lengthText(0)).toBe('0 minutes');
});

describe('the fault of a budget', () => {
  const german = { currency: 'EUR', country: 'DE' };
  const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ');
  test('is that the offer costs more, in the amounts of the page', () => {
    expect(plain(budgetFault('10', 71_07n, german))).toBe(
      'This offer costs 71,07 EUR, more than your budget of 10,00 EUR. Use the end that it pays for, or clear the budget.',
    );
  });
  test('is that it is no amount, whether the price is known or not', () => {
    expect(plain(budgetFault('0', null, german))).toBe('Enter an amount such as 99,50 EUR.');
    expect(plain(budgetFault('ten', 5n, german))).toBe('Enter an amount such as 99,50 EUR.');
  });
  test('is none without a budget, and none as long as no price is known', () => {
    expect(budgetFault(' ', 71_07n, german)).toBeUndefined();
    expect(budgetFault('10', null, german)).toBeUndefined();
  });
  test('exists exactly when the price is above it', () => {
    const minor = fc.bigInt({ min: 3n, max: 100_000_00n });
    fc.assert(
      fc.property(minor, fc.bigInt({ min: -2n, max: 2n }), (budget, more) => {
        const fault = budgetFault(fieldAmount(budget, german), budget + more, german);
        expect(fault !== undefined).toBe(more > 0n);
      }),
    );
  });
});
