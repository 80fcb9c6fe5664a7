/** Chooses the looks at a picture for the model: frames of an animation, transparency on white and on black. */

/** The model looks at this many in one and a half seconds of one processor. */
export const maxFrames = 32;
/** Half of the frames are chosen by time: anything shown for an eighth of the time fills at least one part. */
const instants = maxFrames / 2;
/** Browsers show a frame with a shorter delay for `usualDelayMs`. */
const minDelayMs = 20;
const usualDelayMs = 100;
/** In shades of 256, averaged over all channels of the thumbnail: encoder noise is below it. */
const minDifference = 2;
/** The thumbnail's side in pixels: enough to distinguish scenes, and 2 MB for the longest animation. */
export const thumbnailSide = 16;

/** The side of the square that nsfwjs' network was trained on, in pixels. */
export const lookSide = 224;

/** The data for choosing frames: how long each is shown, and its thumbnail. All thumbnails have the same size. */
export type Frame = { readonly delayMs: number; readonly thumbnail: Uint8Array };

/**
 * Indices of the frames to look at, in order (decision 136, frames that are looked at): all frames of a short animation. For a longer one:
 * the first and the last, one at a random instant in each sixteenth of its duration, then those that differ most from all chosen ones,
 * until no visible difference is left.
 * @param chance returns a number from 0 to 1 at each call
 */
export function framesToLookAt(frames: readonly Frame[], chance: () => number): readonly number[] {
  if (frames.length <= maxFrames) return frames.map((_, index) => index);
  const chosen = new Set([0, frames.length - 1, ...framesAtInstants(frames, chance)]);
  const differences = frames.map(() => Number.POSITIVE_INFINITY);
  for (const index of chosen) lowerDifferences(differences, frames, index);
  while (chosen.size < maxFrames) {
    const farthest = indexOfGreatest(differences);
    if ((differences[farthest] ?? 0) < minDifference) break;
    chosen.add(farthest);
    lowerDifferences(differences, frames, farthest);
  }
  return [...chosen].toSorted((one, other) => one - other);
}

function framesAtInstants(frames: readonly Frame[], chance: () => number): readonly number[] {
  const ends: number[] = [];
  let playsMs = 0;
  for (const { delayMs } of frames) ends.push((playsMs += delayMs < minDelayMs ? usualDelayMs : delayMs));
  return Array.from({ length: instants }, (_, part) => {
    const atMs = ((part + chance()) * playsMs) / instants;
    const index = ends.findIndex((end) => end > atMs);
    return index < 0 ? frames.length - 1 : index;
  });
}

/** The difference to the nearest chosen frame. */
function lowerDifferences(differences: number[], frames: readonly Frame[], chosen: number): void {
  const thumbnail = frames[chosen]?.thumbnail ?? new Uint8Array();
  for (const [index, frame] of frames.entries()) {
    const known = differences[index] ?? 0;
    if (known > 0) differences[index] = Math.min(known, meanDifference(frame.thumbnail, thumbnail));
  }
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0));
  return sum / Math.max(1, one.length);
}

function indexOfGreatest(numbers: readonly number[]): number {
  let greatest = 0;
  for (let index = 1; index < numbers.length; index += 1)
    if ((numbers[index] ?? 0) > (numbers[greatest] ?? 0)) greatest = index;
  return greatest;
}

/**
 * The opaque RGB pictures that an RGBA frame can appear as. A transparent frame can show something on a dark page that a light page hides,
 * so it is looked at on both.
 */
export function opaqueLooks(rgba: Uint8Array): readonly Uint8Array[] {
  return isOpaque(rgba) ? [onBackground(rgba, 255)] : [onBackground(rgba, 255), onBackground(rgba, 0)];
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false;
  return true;
}

function onBackground(rgba: Uint8Array, grey: number): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4) {
    const alpha = (rgba[from + 3] ?? 255) / 255;
    for (let channel = 0; channel < 3; channel += 1)
      rgb[to++] = Math.round((rgba[from + channel] ?? 0) * alpha + grey * (1 - alpha));
  }
  return rgb;
}
