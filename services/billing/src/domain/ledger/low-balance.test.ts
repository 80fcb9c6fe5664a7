import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { fallsBelow, isLow } from './low-balance.ts';

describe('a balance', () => {
  it('falls below its threshold only if it was at or above it before', () => {
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

it('there is one notice for each fall, and no other until the balance has been high enough again, as a model with a memory says', () => {
  fc.assert(
    fc.property(steps, (story) => {
      const notices: number[] = [];
      const expected: number[] = [];
      let balance = 10n;
      let threshold: bigint | null = null;
      let wasHighEnough = false;
      for (const [at, step] of story.entries()) {
        const before = balance;
        if ('threshold' in step) threshold = step.threshold;
        else if (balance + step.change >= 0n) balance += step.change;
        if ('change' in step && fallsBelow(threshold, { beforeMinor: before, afterMinor: balance }))
          notices.push(at);
        const low = threshold !== null && balance < threshold;
        // Setting a threshold above the balance sends no notice, and none follows until the balance has recovered.
        if (low && wasHighEnough && 'change' in step) expected.push(at);
        wasHighEnough = threshold !== null && !low;
      }
      expect(notices).toEqual(expected);
    }),
  );
});
