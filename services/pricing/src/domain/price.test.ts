import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { priceOf, roundAdUnitPriceForReply } from './price.ts';

const HOUR_MS = 3_600_000;
const pound = { perGbpE6: 1_000_000n, date: null };
const dollar = { perGbpE6: 1_319_876n, date: '2026-11-20' };

/** Decimal arithmetic on digits, as done on paper; it shares nothing with the code under test. */
function timesOnPaper(a: string, b: string): string {
  const decimals = (a.split('.')[1] ?? '').length + (b.split('.')[1] ?? '').length;
  const left = Array.from(a.replace('.', ''), Number).toReversed();
  const right = Array.from(b.replace('.', ''), Number).toReversed();
  const digits = Array.from({ length: left.length + right.length }, () => 0);
  for (const [i, x] of left.entries()) {
    let carry = 0;
    for (const [j, y] of right.entries()) {
      const sum = (digits[i + j] ?? 0) + x * y + carry;
      digits[i + j] = sum % 10;
      carry = Math.floor(sum / 10);
    }
    digits[i + right.length] = carry;
  }
  const figures = digits
    .toReversed()
    .join('')
    .padStart(decimals + 1, '0');
  return `${figures.slice(0, figures.length - decimals)}.${figures.slice(figures.length - decimals)}`;
}

function roundedOnPaper(decimal: string, places: number): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const kept = Array.from(`0${whole}${fraction.slice(0, places).padEnd(places, '0')}`, Number);
  if (Number(fraction[places] ?? 0) >= 5) {
    let at = kept.length - 1;
    while (kept[at] === 9) kept[at--] = 0;
    kept[at] = (kept[at] ?? 0) + 1;
  }
  return pointed(kept.join(''), places);
}

function pointed(digits: string, places: number): string {
  const figures = digits.replace(/^0+/, '').padStart(places + 1, '0');
  return `${figures.slice(0, figures.length - places)}.${figures.slice(figures.length - places)}`;
}

describe('the price of an offer', () => {
  it('is 0.001 pounds for each hour of each matching user', () => {
    expect(priceOf({ durationMs: 168 * HOUR_MS, matchingUsers: 250, exchangeRate: pound })).toEqual({
      matchingUsers: 250,
      adUnitsHundredths: 42_000_00n,
      money: { costMinor: 42_00n, adUnitPriceE8: 100_000n, exchangeRate: pound },
    });
  });

  it('is what the worked example of docs/guides/prices-and-currencies.md says', () => {
    const exchangeRate = { perGbpE6: 1_326_310n, date: '2026-11-20' };
    expect(priceOf({ durationMs: 168 * HOUR_MS, matchingUsers: 1_649, exchangeRate })).toEqual({
      matchingUsers: 1_649,
      adUnitsHundredths: 277_032_00n,
      money: { costMinor: 367_43n, adUnitPriceE8: 132_631n, exchangeRate },
    });
  });

  it('rounds every half upwards', () => {
    // 18 s of one user are 0.005 hours; 0.5 pence is rounded to a penny.
    expect(priceOf({ durationMs: 18_000, matchingUsers: 1, exchangeRate: pound }).adUnitsHundredths).toBe(1n);
    expect(priceOf({ durationMs: 17_999, matchingUsers: 1, exchangeRate: pound }).adUnitsHundredths).toBe(0n);
    expect(priceOf({ durationMs: 5 * HOUR_MS, matchingUsers: 1, exchangeRate: pound }).money?.costMinor).toBe(
      1n,
    );
    const halfAtTheNinthPlace = { perGbpE6: 1_000_005n, date: '2026-11-20' };
    expect(
      priceOf({ durationMs: 1, matchingUsers: 1, exchangeRate: halfAtTheNinthPlace }).money?.adUnitPriceE8,
    ).toBe(100_001n);
  });

  it('is nothing when nobody matches', () => {
    const price = priceOf({ durationMs: HOUR_MS, matchingUsers: 0, exchangeRate: pound });
    expect([price.adUnitsHundredths, price.money?.costMinor]).toEqual([0n, 0n]);
  });

  it('equals a decimal calculation on paper for any duration, audience and rate', () => {
    fc.assert(
      fc.property(
        // Multiples of 36 ms give hours with a finite number of decimals, which arithmetic on paper needs.
        fc.integer({ min: 1, max: 2_000_000_000 }),
        fc.integer({ min: 0, max: 2_000_000_000 }),
        fc.bigInt({ min: 1n, max: 99_999_999_999n }),
        (periods, matchingUsers, perGbpE6) => {
          const hours = pointed(`${periods}`, 5);
          const adUnits = roundedOnPaper(timesOnPaper(hours, `${matchingUsers}`), 2);
          const adUnitPrice = roundedOnPaper(timesOnPaper('0.001', pointed(`${perGbpE6}`, 6)), 8);
          const cost = roundedOnPaper(timesOnPaper(adUnits, adUnitPrice), 2);

          const exchangeRate = { perGbpE6, date: '2026-11-20' };
          const price = priceOf({ durationMs: periods * 36, matchingUsers, exchangeRate });
          expect(pointed(`${price.adUnitsHundredths}`, 2)).toBe(adUnits);
          expect(pointed(`${price.money?.adUnitPriceE8}`, 8)).toBe(adUnitPrice);
          expect(pointed(`${price.money?.costMinor}`, 2)).toBe(cost);
        },
      ),
    );
  });

  it('has Ad Units within half a hundredth of the true product for any milliseconds, the half upwards', () => {
    // Up to the largest dates of JavaScript, and more members than there are people.
    const duration = fc.integer({ min: 1, max: 8_640_000_000_000_000 });
    fc.assert(
      fc.property(duration, fc.maxSafeNat(), (durationMs, matchingUsers) => {
        const { adUnitsHundredths } = priceOf({ durationMs, matchingUsers, exchangeRate: null });
        // units - 1/2 <= members x ms / 36,000 < units + 1/2
        const twice = 2n * BigInt(durationMs) * BigInt(matchingUsers);
        expect((2n * adUnitsHundredths - 1n) * 36_000n <= twice).toBe(true);
        expect(twice < (2n * adUnitsHundredths + 1n) * 36_000n).toBe(true);
      }),
    );
  });

  it('stays exact far beyond what floating point can hold', () => {
    // A billion members minus one, and 638,888,888.88889 hours, until about the year 75,000; calculated with exact fractions in another
    // language.
    const price = priceOf({
      durationMs: 2_300_000_000_000_001,
      matchingUsers: 999_999_999,
      exchangeRate: dollar,
    });
    expect(price.adUnitsHundredths).toBe(638_888_888_250_000_277_78n);
    expect(price.money?.costMinor).toBe(843_256_665_823_410_37n);
  });

  it('never rises when the audience or the duration shrinks', () => {
    const hours = fc.integer({ min: 1, max: 10_000_000_000 });
    const users = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(hours, hours, users, users, (a, b, m, n) => {
        const small = priceOf({
          durationMs: Math.min(a, b),
          matchingUsers: Math.min(m, n),
          exchangeRate: dollar,
        });
        const large = priceOf({
          durationMs: Math.max(a, b),
          matchingUsers: Math.max(m, n),
          exchangeRate: dollar,
        });
        expect(small.adUnitsHundredths <= large.adUnitsHundredths).toBe(true);
        expect((small.money?.costMinor ?? 0n) <= (large.money?.costMinor ?? 0n)).toBe(true);
      }),
    );
  });

  it('shows the Ad Unit price with 6 decimal places, half-up', () => {
    expect(roundAdUnitPriceForReply(131_988n)).toBe(1_320n);
    expect(roundAdUnitPriceForReply(131_950n)).toBe(1_320n);
    expect(roundAdUnitPriceForReply(131_949n)).toBe(1_319n);
  });
});
