import { describe, expect, it } from '@jest/globals';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { fc } from '@offer-ads/testing/profile';
import { creditDue, creditOwed } from './credit.ts';

const HOUR = 3_600_000;

describe('credit of Unused Time', () => {
  it('is the price in proportion to the unused part of the schedule', () => {
    expect(creditTarget(10_00n, { unusedMs: 6 * HOUR, scheduledMs: 24 * HOUR })).toBe(2_50n);
  });

  it('is the whole price when the offer never ran', () => {
    expect(creditTarget(10_00n, { unusedMs: HOUR, scheduledMs: HOUR })).toBe(10_00n);
  });

  it('rounds half up to a penny', () => {
    expect(creditTarget(1n, { unusedMs: 1, scheduledMs: 2 })).toBe(1n);
    expect(creditTarget(1n, { unusedMs: 1, scheduledMs: 3 })).toBe(0n);
  });

  it('is only the part that was not credited before', () => {
    const payment = { netMinor: 10_00n, vatMinor: 0n, earnedMinor: 2_50n };
    expect(creditDue({ ...payment, creditedMinor: 1_00n }, 0n)).toBe(1_50n);
    expect(creditDue({ ...payment, creditedMinor: 2_50n }, 0n)).toBe(0n);
    expect(creditDue({ ...payment, creditedMinor: 9_00n }, 0n)).toBe(0n);
  });
});

describe('when the provider has taken the payment back', () => {
  const payment = { netMinor: 10_00n, vatMinor: 2_00n, creditedMinor: 0n, earnedMinor: 10_00n };

  it('nothing is credited if all of it is gone, otherwise the net share of what is left', () => {
    expect(creditDue(payment, 12_00n)).toBe(0n);
    expect(creditDue(payment, 24_00n)).toBe(0n);
    expect(creditDue(payment, 3_00n)).toBe(7_50n);
    // Price and VAT have one penny left, so no whole penny of the price is left.
    expect(creditDue(payment, 1n)).toBe(9_99n);
  });

  it('the credit beyond what is left is owed, except for reversals that a person has decided', () => {
    const credited = { ...payment, creditedMinor: 9_00n };
    expect(creditOwed(credited, { totalMinor: 0n, undecidedMinor: 0n })).toBe(0n);
    expect(creditOwed(credited, { totalMinor: 12_00n, undecidedMinor: 12_00n })).toBe(9_00n);
    expect(creditOwed(credited, { totalMinor: 6_00n, undecidedMinor: 6_00n })).toBe(4_00n);
    // The platform has already borne the other half.
    expect(creditOwed(credited, { totalMinor: 12_00n, undecidedMinor: 6_00n })).toBe(5_00n);
  });

  it('credits never exceed what is left, so nothing is owed, whatever was paid and taken back', () => {
    const minor = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(minor, minor, minor, minor, (netMinor, vatMinor, earned, takenBackMinor) => {
        const earnedMinor = earned < netMinor ? earned : netMinor;
        const payment = { netMinor, vatMinor, earnedMinor, creditedMinor: 0n };
        const creditedMinor = creditDue(payment, takenBackMinor);
        expect(creditedMinor >= 0n && creditedMinor <= earnedMinor).toBe(true);
        const gross = netMinor + vatMinor;
        const left = takenBackMinor > gross ? 0n : gross - takenBackMinor;
        expect(creditedMinor * gross <= netMinor * left).toBe(true);
        const takenBack = { totalMinor: takenBackMinor, undecidedMinor: takenBackMinor };
        expect(creditOwed({ ...payment, creditedMinor }, takenBack)).toBe(0n);
      }),
    );
  });
});
