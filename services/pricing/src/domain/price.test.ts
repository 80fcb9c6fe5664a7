import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { isHalfUp } from '../../test/half-up.ts';
import { priceOf } from './price.ts';
import type { ExchangeRate } from './rates/exchange-rate.ts';

const HOUR_MS = 3_600_000;
const pound: ExchangeRate = { perGbpE6: 1_000_000n, date: null };
const perPound = (perGbpE6: bigint) => ({ perGbpE6, date: '2026-11-20' });
const dollar = perPound(1_319_876n);

describe('the price of an offer', () => {
  it.each([
    ['0.001 pounds for each hour of each matching user', 250, pound, 42_000_00n, 42_00n, 100_000n],
    // The worked example of docs/guides/prices-and-currencies.md.
    ['the same in the billing currency', 1_649, perPound(1_326_310n), 277_032_00n, 367_43n, 132_631n],
  ])('is %s', (_, matchingUsers, exchangeRate, adUnitsHundredths, costMinor, adUnitPriceE8) => {
    expect(priceOf({ durationMs: 168 * HOUR_MS, matchingUsers, exchangeRate })).toEqual({
      matchingUsers,
      adUnitsHundredths,
      money: { costMinor, adUnitPriceE8, exchangeRate },
    });
  });

  it('rounds every half upwards', () => {
    const one = (durationMs: number, exchangeRate = pound) =>
      priceOf({ durationMs, matchingUsers: 1, exchangeRate });
    // 18 s of one user are 0.005 hours; 0.5 pence is rounded to a penny.
    expect(one(18_000).adUnitsHundredths).toBe(1n);
    expect(one(17_999).adUnitsHundredths).toBe(0n);
    expect(one(5 * HOUR_MS).money?.costMinor).toBe(1n);
    expect(one(1, perPound(1_000_005n)).money?.adUnitPriceE8).toBe(100_001n);
  });

  it('has each figure rounded half-up by its rule, for any duration, audience and rate', () => {
    // Up to the largest dates of JavaScript, and more members than there are people.
    const duration = fc.integer({ min: 1, max: 8_640_000_000_000_000 });
    const rate = fc.bigInt({ min: 1n, max: 99_999_999_999n });
    fc.assert(
      fc.property(duration, fc.maxSafeNat(), rate, (durationMs, matchingUsers, perGbpE6) => {
        const price = priceOf({ durationMs, matchingUsers, exchangeRate: perPound(perGbpE6) });
        const { costMinor, adUnitPriceE8 } = price.money!;
        expect(isHalfUp(price.adUnitsHundredths, BigInt(durationMs) * BigInt(matchingUsers), 36_000n)).toBe(
          true,
        );
        expect(isHalfUp(adUnitPriceE8, perGbpE6, 10n)).toBe(true);
        expect(isHalfUp(costMinor, price.adUnitsHundredths * adUnitPriceE8, 10n ** 8n)).toBe(true);
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
        const price = (durationMs: number, matchingUsers: number) =>
          priceOf({ durationMs, matchingUsers, exchangeRate: dollar });
        const small = price(Math.min(a, b), Math.min(m, n));
        const large = price(Math.max(a, b), Math.max(m, n));
        expect(small.adUnitsHundredths <= large.adUnitsHundredths).toBe(true);
        expect((small.money?.costMinor ?? 0n) <= (large.money?.costMinor ?? 0n)).toBe(true);
      }),
    );
  });
});
