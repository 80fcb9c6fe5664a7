import { describe, expect, it } from '@jest/globals';
import { creditTarget, type UnusedTime } from '@offer-ads/contracts/unused-time';
import { fc } from '@offer-ads/testing/profile';
import { creditDue } from './credit.ts';

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

  it('gives only what was not credited before', () => {
    const unusedTime = { unusedMs: 6 * HOUR, scheduledMs: 24 * HOUR };
    expect(creditDue({ netMinor: 10_00n, creditedMinor: 1_00n, unusedTime })).toBe(1_50n);
    expect(creditDue({ netMinor: 10_00n, creditedMinor: 2_50n, unusedTime })).toBe(0n);
    expect(creditDue({ netMinor: 10_00n, creditedMinor: 9_00n, unusedTime })).toBe(0n);
  });
});

describe('credits in any order and repeated', () => {
  const scheduledMs = fc.integer({ min: 1, max: 400 * 24 * HOUR });
  const reports = scheduledMs.chain((whole) =>
    fc.record({
      scheduledMs: fc.constant(whole),
      // Also beyond the schedule: a faulty report must not give away more than the price.
      unusedMs: fc.array(fc.integer({ min: 0, max: whole * 2 }), { minLength: 1, maxLength: 8 }),
    }),
  );
  const netMinor = fc.bigInt({ min: 0n, max: 10n ** 12n });

  it('come to what the largest report is worth, and never exceed the price', () => {
    fc.assert(
      fc.property(netMinor, reports, (netMinor, { scheduledMs, unusedMs }) => {
        let creditedMinor = 0n;
        for (const unused of unusedMs) {
          const unusedTime: UnusedTime = { unusedMs: unused, scheduledMs };
          const due = creditDue({ netMinor, creditedMinor, unusedTime });
          expect(due >= 0n).toBe(true);
          creditedMinor += due;
          expect(creditedMinor <= netMinor).toBe(true);
        }
        const largest = creditTarget(netMinor, { unusedMs: Math.max(...unusedMs), scheduledMs });
        expect(creditedMinor).toBe(largest);
      }),
    );
  });
});
