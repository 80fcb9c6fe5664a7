/**
 * A fingerprint that survives re-encoding, resizing, brightening and slight cropping: the signs of a picture's low frequencies,
 * as in the DCT hashes of the literature (pHash, PDQ), and which of them are strong enough to count.
 */

/** 16 words: 256 signs, then 256 bits for which of them count. For a plain picture, none counts. */
export type Fingerprint = Int32Array;
export const fingerprintWords = 16;
const signWords = 8;

/** Frequencies in each direction, starting with half a wave per picture. */
const frequencies = 16;
/** The side length for measuring: the shortest half wave has 7 pixels. */
const side = 112;
/** The cropped share of each edge: none, 3 % and 6 %. A copy with cropped edges matches one of the three fingerprints. */
const insets = [0, 3, 7] as const;
/**
 * The strength that half of the frequencies must have, in shades of grey of 256. In blank pictures and even gradients, only noise would be
 * compared.
 */
const minStrength = 0.25;
/** The same as a share of the mean strength: a simple sign on a plain ground is similar to many others of its size. */
const minShare = 0.25;
/** Among the 128 signs that count; decision 99, recognition of copies, explains the choice. */
export const maxDifferences = 10;

/** One per crop, the uncropped look first. @param look RGB, a square of 224 pixels */
export function fingerprintsOf(look: Uint8Array): readonly Fingerprint[] {
  const grey = greyAtHalfSize(look);
  return windows.map((window) => fingerprintOf(strengths(grey, window)));
}

/** The fingerprints of the uncropped looks: a picture is looked up by them, and found by any fingerprint of another. */
export function wholeLooks(fingerprints: readonly Fingerprint[]): readonly Fingerprint[] {
  return fingerprints.filter((_, index) => index % insets.length === 0);
}

/** Whether the fingerprint can distinguish a changed copy from other pictures. */
export function isDistinctive(fingerprint: Fingerprint): boolean {
  return fingerprint.subarray(signWords).some((word) => word !== 0);
}

/**
 * The number of the latest block of which one of the looks is a copy, mirrored or not.
 * @param blocked distinctive fingerprints by the number of their block, the latest block last
 */
export function latestLike(
  blocked: ReadonlyMap<number, readonly Fingerprint[]>,
  looks: readonly Fingerprint[],
): number | undefined {
  const sought = looks.flatMap((look) => [look, mirrored(look)]);
  let latest: number | undefined;
  for (const [number, fingerprints] of blocked)
    if (fingerprints.some((one) => sought.some((look) => isLike(one, look)))) latest = number;
  return latest;
}

function isLike(blocked: Fingerprint, look: Fingerprint): boolean {
  let different = 0;
  // The first two words exclude nearly all: by chance, about 16 of their 32 counting signs differ.
  for (let word = 0; word < signWords && different <= maxDifferences; word += 1) {
    const counted = blocked[signWords + word] ?? 0;
    different += onesIn(((blocked[word] ?? 0) ^ (look[word] ?? 0)) & counted);
  }
  return different <= maxDifferences;
}

/** The fingerprint of the mirrored picture: waves with an odd number of halves from left to right change their signs. */
export function mirrored(fingerprint: Fingerprint): Fingerprint {
  return fingerprint.map((word, index) => (index < signWords ? word ^ 0x55555555 : word));
}

/** The number of ones among 32 bits. */
export function onesIn(bits: number): number {
  // `| 0` keeps 32 bits, which is three times as fast.
  const pairs = (bits - ((bits >>> 1) & 0x55555555)) | 0;
  const fours = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** In the stores' format: one after the other, 64 bytes each. */
export function packed(fingerprints: readonly Fingerprint[]): Buffer {
  return Buffer.concat(
    fingerprints.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

export function unpacked(bytes: Uint8Array): readonly Fingerprint[] {
  // A copy, because an Int32Array must start at a multiple of four bytes.
  const words = new Int32Array(Uint8Array.from(bytes).buffer);
  return Array.from({ length: words.length / fingerprintWords }, (_, index) =>
    words.subarray(index * fingerprintWords, (index + 1) * fingerprintWords),
  );
}

/** The waves are stored one after the other, each as wide as the window. */
type Window = { readonly inset: number; readonly width: number; readonly waves: Float64Array };

const windows: readonly Window[] = insets.map((inset) => {
  const width = side - 2 * inset;
  const waves = Float64Array.from({ length: frequencies * width }, (_, at) => {
    const halves = 1 + Math.floor(at / width);
    return Math.cos((Math.PI * halves * ((at % width) + 0.5)) / width);
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
  const middle = found.map(Math.abs).toSorted()[found.length / 2] ?? 0;
  const mean = Math.sqrt(found.reduce((sum, strength) => sum + strength ** 2, 0) / found.length);
  const tells = middle >= minStrength && middle >= minShare * mean;
  const set = (word: number, bit: number) => {
    fingerprint[word] = (fingerprint[word] ?? 0) | bit;
  };
  for (const [index, strength] of found.entries()) {
    const word = index >> 5;
    const bit = 1 << (index & 31);
    if (strength > 0) set(word, bit);
    if (tells && Math.abs(strength) >= middle) set(signWords + word, bit);
  }
  return fingerprint;
}
