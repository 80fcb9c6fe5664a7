/** Pictures with the statistics of photographs: discs of many sizes and shades that hide each other ("dead leaves"). */
import { randomNumbers } from '@offer-ads/testing/random';
import sharp, { type Sharp } from 'sharp';

const width = 240;
const height = 180;
const discs = 120;

/** The same seed gives the same picture, another seed one that has nothing to do with it. */
export function scene(seed: number): Sharp {
  const random = randomNumbers(seed);
  const pixels = Buffer.alloc(width * height * 3, 128);
  for (let disc = 0; disc < discs; disc += 1) {
    // Few are large and many small, as things are in the world.
    const radius = Math.min(90, 6 / Math.sqrt(random()));
    const [x, y] = [width * random(), height * random()];
    const [red, green, blue] = [256 * random(), 256 * random(), 256 * random()];
    for (let row = Math.max(0, Math.ceil(y - radius)); row < Math.min(height, y + radius); row += 1) {
      const half = Math.sqrt(Math.max(0, radius ** 2 - (row - y) ** 2));
      for (let column = Math.max(0, Math.ceil(x - half)); column < Math.min(width, x + half); column += 1) {
        const at = 3 * (row * width + column);
        // Lit from the left, so that discs are no plain areas.
        const light = 1 - 0.4 * ((column - x + radius) / (2 * radius));
        pixels[at] = Math.floor(red * light);
        pixels[at + 1] = Math.floor(green * light);
        pixels[at + 2] = Math.floor(blue * light);
      }
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export async function scenePng(seed: number): Promise<Buffer> {
  return scene(seed).png().toBuffer();
}

type Change = (picture: Buffer) => Promise<Buffer>;

const cropped = (share: { left: number; top: number; right: number; bottom: number }): Change => {
  const left = Math.floor(share.left * width);
  const top = Math.floor(share.top * height);
  const area = {
    left,
    top,
    width: width - left - Math.floor(share.right * width),
    height: height - top - Math.floor(share.bottom * height),
  };
  return async (picture) => sharp(picture).extract(area).jpeg({ quality: 85 }).toBuffer();
};
const croppedBy = (share: number) => cropped({ left: share, top: share, right: share, bottom: share });

/** What happens to a picture on its way, or what somebody does who hopes that it is not recognised. */
export const changes: Readonly<Record<string, Change>> = {
  'encoded anew': async (picture) => sharp(picture).jpeg({ quality: 60 }).toBuffer(),
  'encoded anew badly': async (picture) => sharp(picture).jpeg({ quality: 25 }).toBuffer(),
  'made a GIF of 32 colours': async (picture) => sharp(picture).gif({ colours: 32 }).toBuffer(),
  'four times as large': async (picture) => sharp(picture).resize({ width: 960 }).jpeg().toBuffer(),
  'half as large': async (picture) => sharp(picture).resize({ width: 120 }).jpeg().toBuffer(),
  'made square': async (picture) => sharp(picture).resize(300, 300, { fit: 'fill' }).jpeg().toBuffer(),
  brighter: async (picture) => sharp(picture).linear(1, 25).jpeg().toBuffer(),
  darker: async (picture) => sharp(picture).linear(0.75, 0).jpeg().toBuffer(),
  'with more contrast': async (picture) => sharp(picture).linear(1.2, -20).jpeg().toBuffer(),
  blurred: async (picture) => sharp(picture).blur(1.5).jpeg().toBuffer(),
  'without colours': async (picture) => sharp(picture).greyscale().jpeg().toBuffer(),
  'cropped by 1 % at each edge': croppedBy(0.01),
  'cropped by 3 % at each edge': croppedBy(0.03),
  'cropped by 5 % at each edge': croppedBy(0.05),
  'cropped by 2 % at one edge': cropped({ left: 0.02, top: 0, right: 0, bottom: 0 }),
  'in a mirror': async (picture) => sharp(picture).flop().jpeg().toBuffer(),
};
