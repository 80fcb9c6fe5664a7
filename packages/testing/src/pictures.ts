/** Pictures for tests, made on the spot: the repository keeps no binary fixtures. */
import sharp, { type Sharp } from 'sharp';
import { randomNumbers } from './random.ts';

// Jest runs modules in a context of their own, where every look-up of a global such as `Math` takes a microsecond;
// hundreds of thousands of pixels would take seconds.
const { max, min, PI, round, sin } = Math;

type Size = { readonly width?: number; readonly height?: number };

/** Small, so that encoding costs a test next to nothing. */
const defaultWidth = 320;
const defaultHeight = 240;

/**
 * Soft colour gradients with grain, which is what a photograph is to a codec and to a classifier. The same seed gives
 * the same bytes; another seed another picture.
 */
export async function photographLikeJpeg({
  seed = 1,
  ...size
}: Size & { seed?: number } = {}): Promise<Buffer> {
  return picture(size, seed).jpeg({ quality: 85 }).toBuffer();
}

export async function png({ seed = 1, ...size }: Size & { seed?: number } = {}): Promise<Buffer> {
  return picture(size, seed).png().toBuffer();
}

/** An animation of that many different frames. */
export async function gif({ frames = 3, ...size }: Size & { frames?: number } = {}): Promise<Buffer> {
  const stills = await Promise.all(
    Array.from({ length: frames }, (_, index) =>
      picture(size, index + 1)
        .png()
        .toBuffer(),
    ),
  );
  return sharp(stills, { join: { animated: true } })
    .gif({ effort: 1, dither: 0 })
    .toBuffer();
}

/** A JPEG of exactly `bytes` bytes: whatever follows the end marker is ignored by decoders, but it counts. */
export async function jpegOfBytes(bytes: number): Promise<Buffer> {
  const jpeg = await photographLikeJpeg();
  if (jpeg.length > bytes) throw new RangeError(`the smallest picture made here has ${jpeg.length} bytes`);
  return Buffer.concat([jpeg, Buffer.alloc(bytes - jpeg.length)]);
}

/** A PNG of few bytes and very many pixels (over 50 million by default): a decompression bomb. */
export async function manyPixelPng({ width = 7_200, height = 7_200 }: Size = {}): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#808080' } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

function picture({ width = defaultWidth, height = defaultHeight }: Size, seed: number): Sharp {
  const random = randomNumbers(seed);
  const [redWaves, greenWaves, blueWaves] = [1 + 2 * random(), 1 + 2 * random(), 1 + 2 * random()];
  const pixels = Buffer.alloc(width * height * 3);
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const grain = 24 * random() - 12;
      pixels[at++] = shade(redWaves * (x / width), grain);
      pixels[at++] = shade(greenWaves * (y / height), grain);
      pixels[at++] = shade(blueWaves * ((x + y) / (width + height)), grain);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

function shade(turns: number, grain: number): number {
  return min(255, max(0, round(128 + 90 * sin(2 * PI * turns) + grain)));
}
