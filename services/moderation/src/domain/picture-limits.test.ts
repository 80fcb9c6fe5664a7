import { describe, expect, it } from '@jest/globals';
import { pngChunk } from '@offer-ads/testing/pictures/pictures';
import { fc } from '@offer-ads/testing/profile';
import {
  essentialPng,
  type Header,
  hasManyPixels,
  heldBytes,
  limitProblem,
  maxHeldBytes,
} from './picture-limits.ts';

const megabyte = 1_000_000;
const photograph: Header = {
  type: 'jpeg',
  width: 1_080,
  height: 1_080,
  frames: 1,
  channels: 3,
  bytesPerChannel: 1,
  wholeAtOnce: false,
  turned: false,
  subsampling: '4:2:0',
};
/** 49,999,041 pixels. */
const large = { ...photograph, width: 7_071, height: 7_071 };
const most = { ...photograph, width: 5_100, height: 5_100 };

describe('what may be opened', () => {
  it.each([
    ['a photograph', photograph],
    ['50 megapixels', { ...large, width: 10_000, height: 5_000 }],
    ['26 megapixels that the camera turned', { ...most, turned: true }],
    ['26 megapixels in a progressive JPEG', { ...most, wholeAtOnce: true }],
    ['50 megapixels of CMYK', { ...large, channels: 4, subsampling: '4:4:4:4' }],
    ['50 megapixels as wide as can be', { ...photograph, width: 16_384, height: 3_051 }],
    [
      'an animation of 2,000 frames',
      { ...photograph, type: 'gif' as const, width: 158, height: 158, frames: 2_000 },
    ],
    [
      'an animation of 5 megapixels a frame',
      { ...photograph, type: 'gif' as const, width: 2_236, height: 2_236 },
    ],
  ])('is %s', (_name, header) => {
    expect(limitProblem(header)).toBeUndefined();
  });

  it.each([
    ['a pixel more than 50 megapixels', { ...photograph, width: 1_000, height: 50_001 }, 'too-many-pixels'],
    ['50 megapixels over all frames and more', { ...photograph, frames: 43 }, 'too-many-pixels'],
    ['a JPEG in 101 scans', { ...photograph, scans: 101 }, 'too-many-scans'],
    ['2,001 frames', { ...photograph, width: 1, height: 1, frames: 2_001 }, 'too-many-frames'],
    ['a side of 16,385', { ...photograph, width: 16_385, height: 1 }, 'too-wide-or-high'],
    ['a height of 16,385', { ...photograph, width: 1, height: 16_385 }, 'too-wide-or-high'],
    [
      '50 megapixels, progressive and in full colour',
      { ...large, wholeAtOnce: true, subsampling: '4:4:4' },
      'too-much-memory',
    ],
    [
      '50 megapixels, progressive and turned',
      { ...large, wholeAtOnce: true, turned: true },
      'too-much-memory',
    ],
    [
      'an interlaced PNG of 50 megapixels',
      { ...large, type: 'png' as const, channels: 4, wholeAtOnce: true },
      'too-much-memory',
    ],
    [
      'a frame of 25 megapixels',
      { ...photograph, type: 'gif' as const, width: 5_000, height: 5_000 },
      'too-much-memory',
    ],
  ])('is not %s', (_name, header, problem) => {
    expect(limitProblem(header)).toBe(problem);
  });
});

describe('what opening a picture holds', () => {
  it('is a few megabytes for a photograph as it should be', () => {
    expect(heldBytes(photograph)).toBeLessThan(4 * megabyte);
  });

  it('does not grow with the height when rows just pass through', () => {
    expect(heldBytes({ ...photograph, height: 16_000 })).toBe(heldBytes({ ...photograph, height: 1_000 }));
  });

  it('is everything when the last row may be needed first', () => {
    expect(heldBytes({ ...large, turned: true })).toBeGreaterThan(150 * megabyte);
    expect(heldBytes({ ...large, type: 'png', wholeAtOnce: true })).toBeGreaterThan(150 * megabyte);
  });

  it('leaves room for nothing else beside the largest', () => {
    expect(2 * heldBytes({ ...most, wholeAtOnce: true })).toBeGreaterThan(maxHeldBytes);
  });
});

describe('a picture that leaves a slot to others', () => {
  it.each([
    ['is no photograph of 12 megapixels', { width: 4_080, height: 3_060, frames: 1 }, false],
    ['is one of 16 megapixels', { width: 4_608, height: 3_456, frames: 1 }, true],
    ['is no banner that moves', { width: 300, height: 250, frames: 160 }, false],
    ['is one with as many pixels over all frames', { width: 158, height: 158, frames: 2_000 }, true],
  ])('%s', (_name, size, isLarge) => {
    expect(hasManyPixels(size)).toBe(isLarge);
  });
});

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const chunk = (kind: string, bytes = 3) => pngChunk(kind, Buffer.alloc(bytes, 7));
const fileOf = (...chunks: Buffer[]) => Buffer.concat([signature, ...chunks]);
describe('the essential chunks of a PNG', () => {
  it('are the critical ones, transparency, profile, orientation and density', () => {
    const kinds = ['IHDR', 'iCCP', 'pHYs', 'PLTE', 'tRNS', 'eXIf', 'IDAT', 'IDAT', 'IEND'];
    const needless = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'acTL', 'fdAT', 'prVt'];
    const [first = '', ...rest] = kinds;
    const whole = fileOf(
      chunk(first),
      ...needless.map((kind) => chunk(kind)),
      ...rest.map((kind) => chunk(kind)),
    );
    expect(Buffer.from(essentialPng(whole)).equals(fileOf(...kinds.map((kind) => chunk(kind))))).toBe(true);
  });

  it('have each ancillary kind once, and none of more than a megabyte', () => {
    const whole = fileOf(
      chunk('IHDR'),
      chunk('iCCP', 2 ** 20 + 1),
      chunk('iCCP'),
      chunk('iCCP'),
      chunk('IEND'),
    );
    expect(Buffer.from(essentialPng(whole)).equals(fileOf(chunk('IHDR'), chunk('iCCP'), chunk('IEND')))).toBe(
      true,
    );
  });

  it('end with the picture, whatever follows in the file', () => {
    const whole = fileOf(chunk('IHDR'), chunk('IEND'));
    expect(Buffer.from(essentialPng(Buffer.concat([whole, chunk('IDAT')]))).equals(whole)).toBe(true);
  });

  it('are never more than the file, whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (rest) => {
        const file = Buffer.concat([signature, rest]);
        expect(essentialPng(file).length).toBeLessThanOrEqual(file.length);
      }),
    );
  });
});
