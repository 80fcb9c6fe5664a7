/** Pictures for tests, made on the spot: the repository keeps no binary fixtures. */
import { constants, crc32, createDeflate } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { randomNumbers } from '../random.ts';

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

/** An animation of that many different frames. @param o.delaysMs how long each is shown */
export async function gif({
  frames = 3,
  delaysMs,
  ...size
}: Size & { frames?: number; delaysMs?: readonly number[] } = {}): Promise<Buffer> {
  const stills = await Promise.all(
    Array.from({ length: frames }, (_, index) =>
      picture(size, index + 1)
        .png()
        .toBuffer(),
    ),
  );
  return sharp(stills, { join: { animated: true } })
    .gif({ effort: 1, dither: 0, ...(delaysMs && { delay: [...delaysMs] }) })
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

/** A PNG with texts that inflate to far more than the file: only headers of chunks may be read before they are dropped. */
export async function textBombPng(o: { chunks: number; inflatedBytes: number }): Promise<Buffer> {
  const file = await png({ width: 40, height: 30 });
  const text = Buffer.concat([Buffer.from('a\0\0', 'latin1'), await deflatedZeros(o.inflatedBytes)]);
  const texts = Array<Buffer>(o.chunks).fill(pngChunk('zTXt', text));
  const endOfHeader = 33;
  return Buffer.concat([file.subarray(0, endOfHeader), ...texts, file.subarray(endOfHeader)]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** As many zeros as asked for, a thousandth of them in bytes. */
export async function deflatedZeros(bytes: number): Promise<Buffer> {
  const deflate = createDeflate({ level: 9, strategy: constants.Z_RLE });
  const zeros = Buffer.alloc(2 ** 20);
  const write = async () => {
    for (let left = bytes; left > 0; left -= zeros.length)
      if (!deflate.write(left < zeros.length ? zeros.subarray(0, left) : zeros))
        await new Promise((resolve) => deflate.once('drain', resolve));
    deflate.end();
  };
  const [parts] = await Promise.all([deflate.toArray() as Promise<Buffer[]>, write()]);
  return Buffer.concat(parts);
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
