/** Which looks at a picture the model gets: frames spread over an animation, transparency on white and on black. */

/** Enough to meet any scene of an advertisement's length, few enough for the time that a verdict may take. */
const mostFrames = 8;

/** Pixels of the square that nsfwjs' network was trained on. */
export const lookSide = 224;

/** Indices of the frames to look at, evenly spread, the first and the last among them. */
export function framesToLookAt(frames: number): readonly number[] {
  if (frames <= mostFrames) return Array.from({ length: frames }, (_, index) => index);
  const step = (frames - 1) / (mostFrames - 1);
  return Array.from({ length: mostFrames }, (_, index) => Math.round(index * step));
}

/**
 * The opaque RGB pictures that an RGBA frame may appear as. A transparent one can show on a dark page what a light page
 * hides, so it is looked at on both.
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
