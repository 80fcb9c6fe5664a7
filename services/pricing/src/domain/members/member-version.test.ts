import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { newerVersion, type Version } from './member-version.ts';

const number = fc.integer({ min: 0, max: 50 });

describe('the version of a change', () => {
  it.each<[number | undefined, Version, number | null]>([
    [undefined, 0, 0],
    [4, 5, 5],
    [5, 5, null],
    [5, 4, null],
    // Newer than whatever is stored.
    [undefined, { atLeast: 1_000 }, 1_000],
    [1_000, { atLeast: 1_000 }, 1_001],
    [9_000, { atLeast: 1_000 }, 9_001],
  ])('after %j, for %j, is %j; null: it takes no effect', (stored, version, next) => {
    expect(newerVersion(stored, version)).toBe(next);
  });

  it('only ever grows', () => {
    const anyVersion: fc.Arbitrary<Version> = fc.oneof(number, fc.record({ atLeast: number }));
    fc.assert(
      fc.property(fc.option(number, { nil: undefined }), anyVersion, (stored, version) => {
        const next = newerVersion(stored, version);
        expect(next === null || next > (stored ?? -1)).toBe(true);
      }),
    );
  });
});
