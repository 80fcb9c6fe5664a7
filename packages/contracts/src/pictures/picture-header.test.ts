import { describe, expect, it } from '@jest/globals';
import {
  gif,
  manyPixelPng,
  photographLikeJpeg,
  png,
  textBombPng,
} from '@offer-ads/testing/pictures/pictures';
import { fc } from '@offer-ads/testing/profile';
import { pictureTypeOf, readPictureHeader } from './picture-header.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('the type of a picture', () => {
  it('is read from its first bytes', () => {
    expect(pictureTypeOf(bytes('\xff\xd8\xff\xe0\x00\x10JFIF'))).toBe('jpeg');
    expect(pictureTypeOf(bytes('\x89PNG\r\n\x1a\n\x00\x00'))).toBe('png');
    expect(pictureTypeOf(bytes('GIF87a...'))).toBe('gif');
    expect(pictureTypeOf(bytes('GIF89a...'))).toBe('gif');
  });

  it.each([
    ['nothing', ''],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['WebP', 'RIFF\x00\x00\x00\x00WEBPVP8 '],
    ['TIFF', 'II*\x00'],
    ['a PNG whose line ends were converted', '\x89PNG\n\x1a\n\x00'],
    ['a GIF of an unknown version', 'GIF88a'],
    ['an incomplete signature', '\xff\xd8'],
  ])('is unknown for %s', (_name, text) => {
    expect(pictureTypeOf(bytes(text))).toBeUndefined();
  });
});

async function endlessGif(): Promise<Buffer> {
  const few = await gif({ width: 2, height: 2, frames: 2 });
  const frame = Buffer.from('2c0000000001000100000202440100', 'hex');
  return Buffer.concat([few.subarray(0, -1), ...Array<Buffer>(340_000).fill(frame)]);
}

describe('the header of a picture', () => {
  const size = { width: 41, height: 32 };

  it.each([
    ['a JPEG', () => photographLikeJpeg(size), { type: 'jpeg', ...size, frames: 1 }],
    [
      'a JPEG whose metadata look like a frame',
      async () => {
        const jpeg = await photographLikeJpeg(size);
        const segment = Buffer.from('ffe1000dffc0001108000100010300', 'hex');
        return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
      },
      { type: 'jpeg', ...size, frames: 1 },
    ],
    ['a PNG', () => png(size), { type: 'png', ...size, frames: 1 }],
    ['a GIF', () => gif({ ...size, frames: 4 }), { type: 'gif', ...size, frames: 4 }],
    [
      'a GIF of more frames than are counted',
      () => gif({ ...size, frames: 6 }),
      { type: 'gif', ...size, frames: 6 },
    ],
  ])('of %s gives its size and frames', async (_name, made, expected) => {
    expect(readPictureHeader(await made(), 5)).toEqual(expected);
  });

  it('is that of no picture if the signature is of another type', () => {
    expect(readPictureHeader(bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 5)).toBe('not-a-picture');
  });

  it.each([
    ['a JPEG without a frame', '\xff\xd8\xff\xe0\x00\x10JFIF\xff\xd9'],
    ['a PNG that begins with another chunk', '\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIDATxxxxxxxxxxxxxxxxxxxxx'],
    ['a GIF without frames', 'GIF89a\x01\x00\x01\x00\x00\x00\x00;'],
    ['a GIF that was cut inside a frame', 'GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01'],
    ['a GIF without a size', 'GIF89a\x00\x00\x01\x00\x00\x00\x00;'],
  ])('is damaged in %s', (_name, text) => {
    expect(readPictureHeader(bytes(text), 5)).toBe('damaged');
  });

  it.each([
    ['a PNG of 50 megapixels and more', manyPixelPng, { width: 7_200, height: 7_200 }],
    [
      'a PNG whose texts inflate to 4 GB',
      () => textBombPng({ chunks: 80, inflatedBytes: 50_000_000 }),
      { width: 40, height: 30 },
    ],
    ['a GIF of 340,000 frames', endlessGif, { width: 2, height: 2, frames: 2_001 }],
  ])('of %s is read without decoding or inflating anything', async (_name, made, expected) => {
    const bomb = await made();
    const before = process.cpuUsage();
    expect(readPictureHeader(bomb, 2_000)).toMatchObject(expected);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(100_000);
  });

  it('is complete or missing, whatever bytes follow a signature', () => {
    const signature = fc.constantFrom('\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF89a');
    fc.assert(
      fc.property(signature, fc.uint8Array({ maxLength: 200 }), (signature, rest) => {
        const header = readPictureHeader(Buffer.concat([bytes(signature), rest]), 5);
        expect(typeof header === 'string' || header.width * header.height * header.frames > 0).toBe(true);
      }),
    );
  });
});
