/**
 * A place's position on a Hilbert curve over the whole map. Places close on the curve are close on the earth, so members sorted by it lie
 * in small boxes.
 */

/** 19 halvings of each side: a cell is at most 76 by 38 metres, and a key has 38 bits. */
const LEVELS = 19;
const CELLS = 2 ** LEVELS;
/** As many levels as fit into 32-bit arithmetic; the other levels are added by multiplication. */
const UPPER_LEVELS = 15;

/** @param latitude and longitude in microdegrees */
export function hilbertKey(latitude: number, longitude: number): number {
  const x = Math.min(CELLS - 1, Math.floor(((longitude + 180e6) * CELLS) / 360e6));
  const y = Math.min(CELLS - 1, Math.floor(((latitude + 90e6) * CELLS) / 180e6));
  let upper = 0;
  let lower = 0;
  // Each quadrant contains the whole curve again, mirrored at a diagonal: `swap` and `flip` give the orientation.
  let swap = 0;
  let flip = 0;
  for (let level = LEVELS - 1; level >= 0; level -= 1) {
    const xBit = (x >> level) & 1;
    const yBit = (y >> level) & 1;
    const right = (swap === 1 ? yBit : xBit) ^ flip;
    const top = (swap === 1 ? xBit : yBit) ^ flip;
    const quadrant = (3 * right) ^ top;
    if (level >= LEVELS - UPPER_LEVELS) upper = (upper << 2) | quadrant;
    else lower = (lower << 2) | quadrant;
    if (top === 0) {
      swap ^= 1;
      flip ^= right;
    }
  }
  return upper * 4 ** (LEVELS - UPPER_LEVELS) + lower;
}
