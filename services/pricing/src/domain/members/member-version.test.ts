import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { newerVersion, type Version } from './member-version.ts';

const number = fc.integer({ min: 0, max: 50 });

describe('the version of a change', () => {
  it('takes effect when it is above the stored one, or when nothing is stored', () => {
    expect(newerVersion(undefined, 0)).toBe(0);
    expect(newerVersion(4, 5)).toBe(5);
    expect(newerVersion(5, 5)).toBeNull();
    expect(newerVersion(5, 4)).toBeNull();
  });

  it('that is to be newer than whatever is stored always takes effect', () => {
    expect(newerVersion(undefined, { atLeast: 1_000 })).toBe(1_000);
    expect(newerVersion(5, { atLeast: 1_000 })).toBe(1_000);
    expect(newerVersion(1_000, { atLeast: 1_000 })).toBe(1_001);
    expect(newerVersion(9_000, { atLeast: 1_000 })).toBe(9_001);
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
