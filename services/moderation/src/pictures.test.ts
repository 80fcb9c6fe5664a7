import { describe, expect, it } from '@jest/globals';
import { gif, photographLikeJpeg, png } from '@offer-ads/testing/pictures';
import { fc, runs } from '@offer-ads/testing/profile';
import sharp, { type Sharp } from 'sharp';
import { blankGif, blankPng } from '../test/odd-pictures.ts';
import { cleanPicture, looksAt } from './pictures.ts';

const timeoutMs = 10_000;
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
);
const secret = 'written inside the file';

async function clean(bytes: Uint8Array) {
  const result = await cleanPicture(bytes, timeoutMs);
  if (!result.ok) throw new Error(`expected a picture, got ${result.problem}`);
  return result.picture;
}

/** 40 x 20 pixels, red on the left and blue on the right, as a camera stores it that was held sideways. */
async function sidewaysJpeg(): Promise<Buffer> {
  const half = (background: string) => ({
    create: { width: 20, height: 20, channels: 3 as const, background },
  });
  return sharp({ create: { width: 40, height: 20, channels: 3, background: 'blue' } })
    .composite([{ input: await sharp(half('red')).png().toBuffer(), left: 0, top: 0 }])
    .withExif({ IFD0: { Artist: secret }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100 })
    .toBuffer();
}

describe('a clean picture', () => {
  it('stands upright, as the camera meant it', async () => {
    const { bytes } = await clean(await sidewaysJpeg());
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([20, 40]);
    const [topRed = 0, , topBlue = 0] = data;
    expect(topRed).toBeGreaterThan(200);
    expect(topBlue).toBeLessThan(50);
  });

  it('has lost place, author and every other metadata', async () => {
    const upload = await sidewaysJpeg();
    expect((await sharp(upload).metadata()).exif).toBeDefined();
    expect(upload.includes(secret)).toBe(true);
    const { bytes } = await clean(upload);
    const { exif, xmp, icc, iptc, orientation } = await sharp(bytes).metadata();
    expect([exif, xmp, icc, iptc, orientation]).toEqual(Array(5).fill(undefined));
    expect(bytes.includes(secret)).toBe(false);
  });

  it('has lost whatever was hidden behind the end of the file', async () => {
    const { bytes } = await clean(Buffer.concat([await photographLikeJpeg(), Buffer.from(secret)]));
    expect(bytes.includes(secret)).toBe(false);
  });

  it('keeps its type, and a GIF keeps moving', async () => {
    expect((await clean(await photographLikeJpeg())).type).toBe('jpeg');
    expect((await clean(await png())).type).toBe('png');
    const animation = await clean(await gif({ frames: 5, width: 40, height: 30 }));
    expect(await sharp(animation.bytes, { animated: true }).metadata()).toMatchObject({
      format: 'gif',
      pages: 5,
      pageHeight: 30,
    });
  });

  it.each([
    ['a CMYK JPEG', (image: Sharp) => image.toColourspace('cmyk').jpeg()],
    ['a greyscale JPEG', (image: Sharp) => image.greyscale().jpeg()],
    ['a PNG of 16 bits a channel', (image: Sharp) => image.toColourspace('rgb16').png()],
    ['a PNG with a palette', (image: Sharp) => image.png({ palette: true })],
  ])('is made of %s too', async (_name, encode) => {
    const { bytes } = await clean(await encode(sharp(await png())).toBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({
      space: expect.stringMatching(/^(srgb|b-w)$/),
      depth: 'uchar',
    });
  });
});

describe('a file that is no whole picture', () => {
  const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));
  it.each([
    ['0 bytes', async () => Buffer.alloc(0), 'not-a-picture'],
    ['an SVG', async () => svg, 'not-a-picture'],
    [
      'a WebP',
      async () =>
        sharp(await png())
          .webp()
          .toBuffer(),
      'not-a-picture',
    ],
    [
      'an SVG behind the signature of a GIF',
      async () => Buffer.concat([Buffer.from('GIF89a'), svg]),
      'damaged',
    ],
    [
      'an SVG behind the signature of a JPEG',
      async () => Buffer.concat([Buffer.of(0xff, 0xd8, 0xff), svg]),
      'damaged',
    ],
    ['half a JPEG', async () => half(await photographLikeJpeg()), 'damaged'],
    ['half a PNG', async () => half(await png()), 'damaged'],
    ['half a GIF', async () => half(await gif()), 'damaged'],
    [
      'a GIF without frames',
      async () => Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'),
      'damaged',
    ],
    ['a PNG of a row more than 50 megapixels', async () => blankPng(10_000, 5_001), 'too-many-pixels'],
    ['a GIF of 52 megapixels over all frames', () => blankGif(1_000, 1_000, 52), 'too-many-pixels'],
  ] as const)('is refused: %s', async (_name, file, problem) => {
    const result = await cleanPicture(await file(), timeoutMs);
    expect(result.ok ? 'a picture' : result.problem).toBe(problem);
  });

  it('is not one of exactly 50 megapixels', async () => {
    expect((await cleanPicture(blankPng(10_000, 5_000), timeoutMs)).ok).toBe(true);
  });

  it('is refused before any memory is taken for its pixels', async () => {
    const bomb = blankPng(16_000, 16_000);
    const before = process.memoryUsage.rss();
    expect(await cleanPicture(bomb, timeoutMs)).toEqual({ ok: false, problem: 'too-many-pixels' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('is refused for frames without end, however small they are', async () => {
    const endless = await blankGif(2, 2, 100_000);
    expect(await cleanPicture(endless, timeoutMs)).toEqual({ ok: false, problem: 'too-many-frames' });
  });

  it('never brings the decoder down, whatever bytes are changed', async () => {
    const pictures = await Promise.all([photographLikeJpeg(), png(), gif({ width: 40, height: 30 })]);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pictures),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        async (picture, changes) => {
          const changed = Buffer.from(picture);
          for (const [place, value] of changes) changed[place % changed.length] = value;
          expect(typeof (await cleanPicture(changed, timeoutMs)).ok).toBe('boolean');
        },
      ),
      { numRuns: runs(30, 2_000) },
    );
  });
});

describe('a decoder that ran out of time', () => {
  it('says nothing about the picture', async () => {
    const truncated = (await photographLikeJpeg()).subarray(0, -500);
    await expect(cleanPicture(truncated, 0)).rejects.toThrow(/premature end|timeout/);
  });
});

describe('looks at a picture', () => {
  it('are squares of 224 pixels in three colours', async () => {
    const looks = await looksAt(await clean(await photographLikeJpeg()));
    expect(looks.map((look) => look.length)).toEqual([224 * 224 * 3]);
  });

  it('are up to eight for an animation', async () => {
    const looks = await looksAt(await clean(await gif({ frames: 11, width: 32, height: 32 })));
    expect(looks).toHaveLength(8);
    expect(new Set(looks.map((look) => Buffer.from(look).toString('base64'))).size).toBe(8);
  });

  it('are on white and on black for a transparent picture', async () => {
    const clear = { create: { width: 8, height: 8, channels: 4 as const, background: '#ff000000' } };
    const looks = await looksAt(await clean(await sharp(clear).png().toBuffer()));
    expect(looks.map((look) => look[0])).toEqual([255, 0]);
  });
});
