/** Pictures for tests, made when they are needed: the repository has no binary fixtures. */
import { constants, crc32, createDeflate } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { randomNumbers } from '../random.ts';

type Size = { readonly width?: number; readonly height?: number };

/** Small, so that encoding takes almost no time. */
const defaultWidth = 320;
const defaultHeight = 240;

/**
 * Soft colour gradients with grain: for a codec and a classifier this is like a photograph. The same seed gives the same bytes,
 * another seed another picture.
 */
export async function photographLikeJpeg({
  seed = 1,
  ...size
}: Size & { seed?: number } = {}): Promise<Buffer> {
  return picture(size, seed).jpeg({ quality: 85 }).toBuffer();
}

/** As a camera that was held upright stores it: lying on its side, with EXIF data that say so. It is seen `height` wide. */
export async function turnedJpeg(size: Size = {}): Promise<Buffer> {
  return picture(size, 1).withMetadata({ orientation: 6 }).jpeg().toBuffer();
}

export async function png({ seed = 1, ...size }: Size & { seed?: number } = {}): Promise<Buffer> {
  return picture(size, seed).png().toBuffer();
}

/** An animation with so many different frames. @param o.delaysMs how long each frame is shown */
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

/** The same picture in another size, of the same type. */
export function resized(picture: Buffer, { width, height }: Required<Size>): Promise<Buffer> {
  return sharp(picture).resize(width, height, { fit: 'fill' }).toBuffer();
}

/** A JPEG of exactly `bytes` bytes: decoders ignore bytes behind the end marker. */
export async function jpegOfBytes(bytes: number): Promise<Buffer> {
  const jpeg = await photographLikeJpeg();
  if (jpeg.length > bytes) throw new RangeError(`the smallest picture made here has ${jpeg.length} bytes`);
  return Buffer.concat([jpeg, Buffer.alloc(bytes - jpeg.length)]);
}

/** A decompression bomb: a PNG of few bytes and very many pixels (by default more than 50 million). */
export async function manyPixelPng({ width = 7_200, height = 7_200 }: Size = {}): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#808080' } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** A PNG with texts that inflate to far more than the file. A reader must drop them without inflating them. */
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

/** So many zeros, compressed to about a thousandth of the size. */
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
  return Math.min(255, Math.max(0, Math.round(128 + 90 * Math.sin(2 * Math.PI * turns) + grain)));
}
