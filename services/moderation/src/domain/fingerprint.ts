/**
 * What stays of a picture when it is re-encoded, resized, brightened or slightly cropped: the signs of its low
 * frequencies, as in the DCT hashes of the literature (pHash, PDQ), and which of them are strong enough to count.
 */

/** 16 words: 256 signs, then 256 bits that say which of them count. Of a plain picture none does. */
export type Fingerprint = Int32Array;
export const fingerprintWords = 16;
export const signWords = 8;

/** Frequencies in each direction, from half a wave a picture on. */
const frequencies = 16;
/** The side on which they are measured: the shortest half wave has 7 pixels. */
const side = 112;
/** Pixels left out at each edge, none, 3 % and 6 %: a copy with cropped edges looks whole to one of the fingerprints. */
const insets = [0, 3, 7] as const;
/**
 * The strength that half of the frequencies must have, in shades of grey of 256: in blank pictures and even gradients
 * only noise would be compared.
 */
const leastStrength = 0.25;
/** And as a share of the mean strength: one plain sign on a plain ground is like many others of its size. */
const leastShare = 0.25;
/** Among the 128 signs that count; decision 99, recognition of copies, says how this was chosen. */
export const mostDifferences = 10;

// Where modules run in a context of their own, as under Jest, each look-up of a global takes a microsecond.
const { abs, cos, floor, imul, PI, sqrt } = Math;

/** One for each inset, the whole look first. @param look RGB, a square of 224 pixels */
export function fingerprintsOf(look: Uint8Array): readonly Fingerprint[] {
  const grey = greyAtHalfSize(look);
  return windows.map((window) => fingerprintOf(strengths(grey, window)));
}

/** Those of the whole looks: with them a picture is looked up, and it is found by any fingerprint of another. */
export function wholeLooks(fingerprints: readonly Fingerprint[]): readonly Fingerprint[] {
  return fingerprints.filter((_, index) => index % insets.length === 0);
}

/** Whether a changed copy could be told from other pictures at all. */
export function isDistinctive(fingerprint: Fingerprint): boolean {
  return fingerprint.subarray(signWords).some((word) => word !== 0);
}

/** Of the picture in a mirror: waves with an odd number of halves from left to right change their signs. */
export function mirrored(fingerprint: Fingerprint): Fingerprint {
  return fingerprint.map((word, index) => (index < signWords ? word ^ 0x55555555 : word));
}

/** The number of ones among 32 bits. */
export function onesIn(bits: number): number {
  // `| 0` keeps to 32 bits, which is three times as fast.
  const pairs = (bits - ((bits >>> 1) & 0x55555555)) | 0;
  const fours = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
  return imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The waves one behind the other, each as wide as the window. */
type Window = { readonly inset: number; readonly width: number; readonly waves: Float64Array };

const windows: readonly Window[] = insets.map((inset) => {
  const width = side - 2 * inset;
  const waves = Float64Array.from({ length: frequencies * width }, (_, at) => {
    const halves = 1 + floor(at / width);
    return cos((PI * halves * ((at % width) + 0.5)) / width);
  });
  return { inset, width, waves };
});

function greyAtHalfSize(look: Uint8Array): Float64Array {
  if (look.length !== 4 * side * side * 3) throw new RangeError(`a look of ${look.length} bytes`);
  const grey = new Float64Array(side * side);
  for (let y = 0, from = 0; y < 2 * side; y += 1)
    for (let x = 0; x < 2 * side; x += 1, from += 3) {
      const at = (y >> 1) * side + (x >> 1);
      const light = 0.299 * (look[from] ?? 0) + 0.587 * (look[from + 1] ?? 0) + 0.114 * (look[from + 2] ?? 0);
      grey[at] = (grey[at] ?? 0) + light / 4;
    }
  return grey;
}

/** The lowest frequencies of the two-dimensional cosine transform, in shades of grey. */
function strengths(grey: Float64Array, { inset, width, waves }: Window): Float64Array {
  const found = new Float64Array(frequencies * frequencies);
  for (let y = 0; y < width; y += 1) {
    const from = (y + inset) * side + inset;
    for (let across = 0; across < frequencies; across += 1) {
      let sum = 0;
      for (let x = 0, wave = across * width; x < width; x += 1)
        sum += (grey[from + x] ?? 0) * (waves[wave + x] ?? 0);
      for (let down = 0; down < frequencies; down += 1) {
        const at = down * frequencies + across;
        found[at] = (found[at] ?? 0) + sum * (waves[down * width + y] ?? 0);
      }
    }
  }
  return found.map((sum) => (4 * sum) / (width * width));
}

function fingerprintOf(found: Float64Array): Fingerprint {
  const fingerprint = new Int32Array(fingerprintWords);
  const middle = found.map(abs).toSorted()[found.length / 2] ?? 0;
  const mean = sqrt(found.reduce((sum, strength) => sum + strength ** 2, 0) / found.length);
  const tells = middle >= leastStrength && middle >= leastShare * mean;
  const set = (word: number, bit: number) => {
    fingerprint[word] = (fingerprint[word] ?? 0) | bit;
  };
  for (const [index, strength] of found.entries()) {
    const word = index >> 5;
    const bit = 1 << (index & 31);
    if (strength > 0) set(word, bit);
    if (tells && abs(strength) >= middle) set(signWords + word, bit);
  }
  return fingerprint;
}
