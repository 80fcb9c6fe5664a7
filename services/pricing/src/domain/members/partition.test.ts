import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { generateMembers } from './generated-members.ts';
import { partitionOf } from './partition.ts';

describe('the partition of a member', () => {
  it.each<[string, Iterable<number>]>([
    ['in sequence', Array.from({ length: 40_000 }, (_, at) => at + 1)],
    ['multiples of 1,024', Array.from({ length: 40_000 }, (_, at) => (at + 1) * 1_024)],
    ['near the largest', Array.from({ length: 40_000 }, (_, at) => Number.MAX_SAFE_INTEGER - at)],
    ['as generated', generateMembers({ count: 40_000, seed: 7 }).map(({ memberId }) => memberId)],
  ])('spreads ids %s evenly', (_, ids) => {
    const members = [...ids];
    for (const partitions of [2, 3, 4, 8]) {
      const sizes = Array.from({ length: partitions }, () => 0);
      for (const id of members) sizes[partitionOf(id, partitions)]! += 1;
      for (const size of sizes) expect(Math.abs(size / (members.length / partitions) - 1)).toBeLessThan(0.05);
    }
  });

  it('is split into two when their number doubles', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 128 }), (id, of) => {
        expect(partitionOf(id, 2 * of) % of).toBe(partitionOf(id, of));
      }),
    );
  });
});
