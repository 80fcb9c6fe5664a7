import { describe, expect, it } from '@jest/globals';
import { divideHalfUp } from './rounding.ts';

describe('half-up division', () => {
  it('rounds to the nearest whole number, and a half up', () => {
    expect(divideHalfUp(10n, 4n)).toBe(3n);
    expect(divideHalfUp(9n, 4n)).toBe(2n);
    expect(divideHalfUp(11n, 4n)).toBe(3n);
    expect(divideHalfUp(0n, 7n)).toBe(0n);
    expect(divideHalfUp(1n, 3n)).toBe(0n);
  });

  it('is exact for numbers that floating point cannot represent', () => {
    expect(divideHalfUp(2n * 10n ** 40n + 1n, 2n)).toBe(10n ** 40n + 1n);
  });

  it('refuses negative amounts and divisors that are not positive', () => {
    expect(() => divideHalfUp(-1n, 2n)).toThrow(RangeError);
    expect(() => divideHalfUp(1n, 0n)).toThrow(RangeError);
  });
});
