import { describe, expect, it } from '@jest/globals';
import { randomNumbers } from '@offer-ads/testing/random';
import { type Fingerprint, fingerprintWords, maxDifferences, mirrored } from '../domain/fingerprint.ts';
import { createBlockedFingerprints } from './blocked-fingerprints.ts';

/** All signs of the second half of the words count. */
function fingerprint(seed: number): Fingerprint {
  const random = randomNumbers(seed);
  return Int32Array.from({ length: fingerprintWords }, (_, word) =>
    word < 8 ? Math.floor(2 ** 32 * random()) : word < 12 ? 0 : -1,
  );
}

function withDifferences(original: Fingerprint, count: number): Fingerprint {
  const changed = original.slice();
  for (let bit = 0; bit < count; bit += 1) changed[4 + (bit & 3)]! ^= 1 << (bit >> 2);
  return changed;
}

describe('the list of blocked fingerprints', () => {
  it('finds a copy up to the greatest number of differences and no further', () => {
    const list = createBlockedFingerprints();
    list.add(1, [fingerprint(1)]);
    expect(list.latestLike([withDifferences(fingerprint(1), maxDifferences)])).toBe(1);
    expect(list.latestLike([withDifferences(fingerprint(1), maxDifferences + 1)])).toBeUndefined();
  });

  it('does not look at signs that do not count', () => {
    const list = createBlockedFingerprints();
    list.add(1, [fingerprint(1)]);
    const others = fingerprint(1).map((word, index) => (index < 4 ? ~word : word));
    expect(list.latestLike([others])).toBe(1);
  });

  it('finds mirrored copies', () => {
    const list = createBlockedFingerprints();
    list.add(1, [fingerprint(1)]);
    expect(list.latestLike([mirrored(fingerprint(1))])).toBe(1);
  });

  it('tells the latest of several blocks, whichever look it is about', () => {
    const list = createBlockedFingerprints();
    for (const [number, seed] of [
      [5, 1],
      [9, 2],
      [7, 1],
    ] as const)
      list.add(number, [fingerprint(seed)]);
    expect(list.latestLike([fingerprint(3), fingerprint(1)])).toBe(7);
    expect(list.latestLike([fingerprint(2), fingerprint(1)])).toBe(9);
  });

  it('forgets a block with all its fingerprints, and no other', () => {
    const list = createBlockedFingerprints();
    for (let number = 1; number <= 200; number += 1)
      list.add(number, [fingerprint(number), fingerprint(1_000 + number)]);
    for (let number = 1; number <= 200; number += 2) list.remove(number);
    expect(list.size()).toBe(200);
    for (let number = 1; number <= 200; number += 1)
      for (const look of [fingerprint(number), fingerprint(1_000 + number)])
        expect(list.latestLike([look])).toBe(number % 2 === 1 ? undefined : number);
  });

  it('takes in nothing that is too plain to be recognised', () => {
    const list = createBlockedFingerprints();
    list.add(1, [new Int32Array(fingerprintWords)]);
    expect(list.size()).toBe(0);
  });
});
