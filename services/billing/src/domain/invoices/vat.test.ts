import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { vatOnCardPayment } from './vat.ts';

describe('VAT on card payments', () => {
  it('is 20% of the net price for UK organisations, rounded half up to a penny', () => {
    expect(vatOnCardPayment(100_00n, 'GB')).toBe(20_00n);
    expect(vatOnCardPayment(33n, 'GB')).toBe(7n); // 6.6
    expect(vatOnCardPayment(32n, 'GB')).toBe(6n); // 6.4
  });

  it('is 0 for organisations registered elsewhere', () => {
    expect(vatOnCardPayment(100_00n, 'DE')).toBe(0n);
    expect(vatOnCardPayment(100_00n, 'US')).toBe(0n);
  });

  it('is never further than half a penny from a fifth of the price', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (netMinor) => {
        const error = vatOnCardPayment(netMinor, 'GB') * 5n - netMinor;
        expect(error >= -2n && error <= 2n).toBe(true);
      }),
    );
  });
});
