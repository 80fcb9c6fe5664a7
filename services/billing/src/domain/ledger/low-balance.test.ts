import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { fallsBelow, isLow } from './low-balance.ts';

describe('a balance', () => {
  it('falls below its threshold when it was at it or above before, and only then', () => {
    expect(fallsBelow(500n, { beforeMinor: 500n, afterMinor: 499n })).toBe(true);
    expect(fallsBelow(500n, { beforeMinor: 900n, afterMinor: 500n })).toBe(false);
    expect(fallsBelow(500n, { beforeMinor: 499n, afterMinor: 498n })).toBe(false);
    expect(fallsBelow(500n, { beforeMinor: 499n, afterMinor: 900n })).toBe(false);
  });

  it('without a threshold is never low', () => {
    expect(fallsBelow(null, { beforeMinor: 1n, afterMinor: 0n })).toBe(false);
    expect(isLow(null, 0n)).toBe(false);
  });
});

type Step = { readonly change: bigint } | { readonly threshold: bigint | null };
const amount = fc.bigInt({ min: 0n, max: 20n });
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.bigInt({ min: -12n, max: 12n }).map((change) => ({ change })),
    fc.option(amount, { nil: null }).map((threshold) => ({ threshold })),
  ),
  { maxLength: 60 },
);

it('is told of as somebody with a memory would: once, then silence until the balance was high enough again', () => {
  fc.assert(
    fc.property(steps, (story) => {
      const told: number[] = [];
      const remembered: number[] = [];
      let balance = 10n;
      let threshold: bigint | null = null;
      let mayTell = false;
      for (const [at, step] of story.entries()) {
        const before = balance;
        if ('threshold' in step) threshold = step.threshold;
        else if (balance + step.change >= 0n) balance += step.change;
        if ('change' in step && fallsBelow(threshold, { beforeMinor: before, afterMinor: balance }))
          told.push(at);
        const low = threshold !== null && balance < threshold;
        // Setting a threshold above the balance sends no notice, and none follows until the balance has recovered.
        if (low && mayTell && 'change' in step) remembered.push(at);
        mayTell = threshold !== null && !low;
      }
      expect(told).toEqual(remembered);
    }),
  );
});
