/** The fingerprints of all blocked pictures, in one block of memory that a look-up scans. */
import {
  type Fingerprint,
  fingerprintWords,
  isDistinctive,
  maxDifferences,
  mirrored,
  onesIn,
  signWords,
} from '../domain/fingerprint.ts';

export type BlockedFingerprints = {
  /** Plain fingerprints are left out, because they match all other plain ones. @param number the number of the blocking ruling */
  readonly add: (number: number, fingerprints: readonly Fingerprint[]) => void;
  readonly remove: (number: number) => void;
  /** The highest ruling number among the blocks of which one of these is a copy, mirrored or not. */
  readonly latestLike: (looks: readonly Fingerprint[]) => number | undefined;
  readonly size: () => number;
};

export function createBlockedFingerprints(): BlockedFingerprints {
  let rows = new Int32Array(0);
  let numbers = new Float64Array(0);
  let size = 0;

  function add(number: number, fingerprints: readonly Fingerprint[]): void {
    for (const fingerprint of fingerprints.filter(isDistinctive)) {
      if (size === numbers.length) grow();
      rows.set(fingerprint, size * fingerprintWords);
      numbers[size] = number;
      size += 1;
    }
  }

  function grow(): void {
    const places = Math.max(64, 2 * size);
    const [oldRows, oldNumbers] = [rows, numbers];
    rows = new Int32Array(places * fingerprintWords);
    numbers = new Float64Array(places);
    rows.set(oldRows);
    numbers.set(oldNumbers);
  }

  function remove(number: number): void {
    for (let place = size - 1; place >= 0; place -= 1) {
      if (numbers[place] !== number) continue;
      size -= 1;
      rows.copyWithin(place * fingerprintWords, size * fingerprintWords, (size + 1) * fingerprintWords);
      numbers[place] = numbers[size] ?? 0;
    }
  }

  function latestLike(looks: readonly Fingerprint[]): number | undefined {
    let latest = 0;
    for (const look of looks) {
      const other = mirrored(look);
      for (let place = 0; place < size; place += 1) {
        const row = place * fingerprintWords;
        if (isLike(rows, row, look) || isLike(rows, row, other))
          latest = Math.max(latest, numbers[place] ?? 0);
      }
    }
    return latest === 0 ? undefined : latest;
  }

  return { add, remove, latestLike, size: () => size };
}

function isLike(rows: Int32Array, row: number, look: Fingerprint): boolean {
  // Two words exclude nearly all rows: by chance, about 16 of their 32 counting signs differ.
  let different = differencesIn(0, rows, row, look) + differencesIn(1, rows, row, look);
  for (let word = 2; word < signWords && different <= maxDifferences; word += 1)
    different += differencesIn(word, rows, row, look);
  return different <= maxDifferences;
}

function differencesIn(word: number, rows: Int32Array, row: number, look: Fingerprint): number {
  const counted = rows[row + signWords + word] ?? 0;
  return onesIn(((rows[row + word] ?? 0) ^ (look[word] ?? 0)) & counted);
}
