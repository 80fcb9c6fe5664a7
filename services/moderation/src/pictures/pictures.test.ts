import { describe, expect, it } from '@jest/globals';
import { gifDelaysMs } from '@offer-ads/contracts/pictures/gif-frames';
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { renditionSize } from '@offer-ads/contracts/pictures/renditions';
import { gif, photographLikeJpeg, png, pngChunk, textBombPng } from '@offer-ads/testing/pictures/pictures';
import { fc, runs } from '@offer-ads/testing/profile';
import sharp, { type Sharp } from 'sharp';
import { hugePng } from '../../test/bombs.ts';
import { blankGif } from '../../test/odd-pictures.ts';
import { Unopenable } from '../domain/picture-limits.ts';
import { cleanPicture, looksAt, renditionOf, smallCopyOf } from './pictures.ts';

/** There is always room. */
const room = async () => {};
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
);
const secret = 'written inside the file';

async function clean(bytes: Uint8Array) {
  return (await cleanPicture(bytes, room)).picture;
}

/** Undefined for a picture that can be opened. */
async function problemOf(bytes: Uint8Array) {
  try {
    await clean(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof Unopenable) return error.problem;
    throw error;
  }
}

/** Its first frame is larger than its screen; decoders then enlarge the screen. */
async function largeGifOnSmallScreen(): Promise<Buffer> {
  const gif = await blankGif(1_000, 1_000, 20);
  gif.writeUInt16LE(10, 6);
  gif.writeUInt16LE(10, 8);
  return gif;
}

const page = Buffer.from('<html><script>alert(1)</script></html>');
/** A ZIP archive with one stored file; unpackers find it from the end of the file. */
const zip = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(26), page]);

function withComment(jpeg: Buffer, text: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.of(0xff, 0xfe), length, text, jpeg.subarray(2)]);
}

function withText(file: Buffer, text: Buffer): Buffer {
  const afterHeader = 33;
  const chunk = pngChunk('tEXt', Buffer.concat([Buffer.from('a\0'), text]));
  return Buffer.concat([file.subarray(0, afterHeader), chunk, file.subarray(afterHeader)]);
}

function withBeforeTrailer(file: Buffer, bytes: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, -1), bytes, file.subarray(-1)]);
}

/** A script: a name, a comment that ends after the pictures, and a call. */
function scriptGif(file: Buffer): Buffer {
  const script = Buffer.from('*/=1;alert(1);//');
  const comment = Buffer.concat([Buffer.of(0x21, 0xfe, script.length), script, Buffer.of(0)]);
  return withBeforeTrailer(file, comment);
}

/** 40 x 20 pixels, red on the left and blue on the right, as stored by a rotated camera. */
async function sidewaysJpeg(side = 20): Promise<Buffer> {
  const half = (background: string) => ({
    create: { width: side, height: side, channels: 3 as const, background },
  });
  return sharp({ create: { width: 2 * side, height: side, channels: 3, background: 'blue' } })
    .composite([{ input: await sharp(half('red')).png().toBuffer(), left: 0, top: 0 }])
    .withExif({ IFD0: { Artist: secret }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100 })
    .toBuffer();
}

/** Red, green, blue and white, as seen: left and right above, left and right below. */
const corners = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
] as const;
/** The order in which a camera stores the seen corners, and whether the sides are swapped. */
const heldAs: Record<number, { stored: readonly number[]; sideways: boolean }> = {
  1: { stored: [0, 1, 2, 3], sideways: false },
  2: { stored: [1, 0, 3, 2], sideways: false },
  3: { stored: [3, 2, 1, 0], sideways: false },
  4: { stored: [2, 3, 0, 1], sideways: false },
  5: { stored: [0, 2, 1, 3], sideways: true },
  6: { stored: [1, 3, 0, 2], sideways: true },
  7: { stored: [3, 1, 2, 0], sideways: true },
  8: { stored: [2, 0, 3, 1], sideways: true },
};

async function fourCorners(orientation: number): Promise<Buffer> {
  const { stored = [], sideways = false } = heldAs[orientation] ?? {};
  const [width, height] = sideways ? [20, 40] : [40, 20];
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const corner = stored[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)] ?? 0;
      pixels.set(corners[corner] ?? [], (y * width + x) * 3);
    }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .withMetadata({ orientation })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer();
}

async function halfTransparentPng(): Promise<Buffer> {
  const opaque = sharp(await photographLikeJpeg({ width: 300, height: 200 }));
  return opaque.ensureAlpha(0.5).png().toBuffer();
}

/** In shades of 256. */
function greatestDifference(one: Uint8Array, other: Uint8Array): number {
  expect(one).toHaveLength(other.length);
  return one.reduce((greatest, value, at) => Math.max(greatest, Math.abs(value - (other[at] ?? 0))), 0);
}

describe('a clean picture', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('stands upright, from orientation %i', async (orientation) => {
    const { bytes } = await clean(await fourCorners(orientation));
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([40, 20]);
    const colourAt = (x: number, y: number) => [...data.subarray((y * 40 + x) * 3, (y * 40 + x) * 3 + 3)];
    const found = [colourAt(5, 5), colourAt(35, 5), colourAt(5, 15), colourAt(35, 15)];
    for (const [corner, colour] of corners.entries())
      for (const [channel, value] of colour.entries())
        expect(Math.abs((found[corner]?.[channel] ?? -1) - value)).toBeLessThan(60);
  });

  it.each([
    ['is kept in memory', 20],
    ['passes through', 1_200],
  ])('has lost place, author and every other metadata, as a picture that %s', async (_how, side) => {
    const upload = await sidewaysJpeg(side);
    expect((await cleanPicture(upload, room)).looks !== undefined).toBe(side === 20);
    expect((await sharp(upload).metadata()).exif).toBeDefined();
    expect(upload.includes(secret)).toBe(true);
    const { bytes } = await clean(upload);
    const { exif, xmp, icc, iptc, orientation, width, height } = await sharp(bytes).metadata();
    expect([exif, xmp, icc, iptc, orientation]).toEqual(Array(5).fill(undefined));
    expect([width, height]).toEqual([side, 2 * side]);
    expect(bytes.includes(secret)).toBe(false);
  });

  it.each([
    ['a JPEG', () => photographLikeJpeg(), 8],
    // Its two colours bleed into each other.
    ['a JPEG on its side', () => sidewaysJpeg(), 40],
    ['a PNG', () => png({ width: 300, height: 200 }), 0],
    ['a transparent PNG', () => halfTransparentPng(), 0],
  ])('comes with looks that show what members will see: %s', async (_name, file, maxDifference) => {
    const { picture, looks = [] } = await cleanPicture(await file(), room);
    const seen = await looksAt(picture, room);
    expect(looks).toHaveLength(seen.length);
    for (const [index, look] of looks.entries())
      expect(greatestDifference(look, seen[index] ?? look.subarray(1))).toBeLessThanOrEqual(maxDifference);
  });

  it('has lost whatever was hidden behind the end of the file', async () => {
    const { bytes } = await clean(Buffer.concat([await photographLikeJpeg(), Buffer.from(secret)]));
    expect(bytes.includes(secret)).toBe(false);
  });

  it.each([
    ['a JPEG with a ZIP behind it', async () => Buffer.concat([await photographLikeJpeg(), zip])],
    ['a JPEG with a page in a comment', async () => withComment(await photographLikeJpeg(), page)],
    ['a PNG with a page in its text', async () => withText(await png({ width: 40, height: 30 }), page)],
    ['a GIF that is a script too', async () => scriptGif(await gif({ width: 40, height: 30 }))],
  ])('is a picture and nothing else, out of %s', async (_name, file) => {
    const upload = await file();
    expect(upload.includes('alert(1)')).toBe(true);
    expect((await clean(upload)).bytes.includes('alert(1)')).toBe(false);
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

/** Its pixels are all there; only the end marker is missing. */
const withoutEnd = (jpeg: Buffer) => jpeg.subarray(0, -2);

describe('a file that browsers show although its end is wrong', () => {
  it.each([
    ['a JPEG without its end marker', async () => withoutEnd(await photographLikeJpeg()), 1],
    [
      'a progressive JPEG without its end marker',
      async () =>
        withoutEnd(
          await sharp(await png())
            .jpeg({ progressive: true })
            .toBuffer(),
        ),
      1,
    ],
    [
      'a GIF with a zero byte before its trailer',
      async () => withBeforeTrailer(await gif(), Buffer.of(0)),
      3,
    ],
    ['a GIF with a second one behind it', async () => withBeforeTrailer(await gif(), await gif()), 3],
  ] as const)('is read: %s', async (_name, file, frames) => {
    expect((await clean(await file())).frames).toBe(frames);
  });

  it.each([1, 10, 1_000])('is damaged if %i bytes of its pixels are missing too', async (missing) => {
    const cut = withoutEnd(await photographLikeJpeg()).subarray(0, -missing);
    expect(await problemOf(cut)).toBe('damaged');
  });
});

/** What is too large for a decoder: domain/picture-limits.test.ts, and with whole files test/bombs.int.test.ts. */
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
    ['a large GIF whose header says that it is small', largeGifOnSmallScreen, 'damaged'],
  ] as const)('is refused: %s', async (_name, file, problem) => {
    expect(await problemOf(await file())).toBe(problem);
  });

  it('is not a PNG whose texts inflate to gigabytes, which are left out before it is opened', async () => {
    const bomb = await textBombPng({ chunks: 80, inflatedBytes: 50_000_000 });
    const before = process.cpuUsage();
    expect(await problemOf(bomb)).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(500_000);
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
          await problemOf(changed);
        },
      ),
      { numRuns: runs(30, 2_000) },
    );
  });
});

describe('an animation whose encoder wrote a frame twice', () => {
  const still = (background: string) =>
    sharp({ create: { width: 32, height: 32, channels: 3, background } })
      .png()
      .toBuffer();

  it.each([
    [['#204060', '#c08040', '#c08040']],
    [['#204060', '#204060', '#c08040']],
    [['#204060', '#204060']],
  ])('is counted and looked at as it was cleaned: %s', async (frames) => {
    const stills = await Promise.all(frames.map(still));
    const upload = await sharp(stills, { join: { animated: true } })
      .gif({ keepDuplicateFrames: true })
      .toBuffer();
    expect(readPictureHeader(upload, 100)).toMatchObject({ frames: frames.length });
    const picture = await clean(upload);
    expect(picture.frames).toBe(new Set(frames).size);
    expect(await looksAt(picture, room)).toHaveLength(new Set(frames).size);
  });
});

describe('a cleaned picture that cannot be opened again', () => {
  it('is damaged, which its sender is told', async () => {
    const picture = await clean(await gif({ width: 32, height: 32 }));
    const spoilt = { ...picture, frames: 9, seen: [7, 8] };
    await expect(looksAt(spoilt, room)).rejects.toMatchObject({ problem: 'damaged' });
    await expect(smallCopyOf(spoilt, room)).rejects.toMatchObject({ problem: 'damaged' });
  });
});

describe('looks at a picture', () => {
  it('are squares of 224 pixels in three colours', async () => {
    const looks = await looksAt(await clean(await photographLikeJpeg()), room);
    expect(looks.map((look) => look.length)).toEqual([224 * 224 * 3]);
  });

  it('are up to thirty-two for an animation', async () => {
    const looks = await looksAt(await clean(await gif({ frames: 40, width: 32, height: 32 })), room);
    expect(looks).toHaveLength(32);
    expect(new Set(looks.map((look) => Buffer.from(look).toString('base64'))).size).toBe(32);
  });

  it('are at instants that nobody who made an animation can know', async () => {
    // One pixel moves, too little for the frame to be looked at.
    const stills = Array.from({ length: 64 }, (_, index) => {
      const pixels = Buffer.alloc(32 * 32 * 3, 128).fill(255, index * 3, index * 3 + 3);
      return sharp(pixels, { raw: { width: 32, height: 32, channels: 3 } })
        .png()
        .toBuffer();
    });
    const upload = await sharp(await Promise.all(stills), { join: { animated: true } })
      .gif()
      .toBuffer();
    const [one, other] = [await clean(upload), await clean(upload)];
    expect(one.frames).toBe(64);
    expect(one.seen).not.toEqual(other.seen);
  });

  it('are on white and on black for a transparent picture', async () => {
    const clear = { create: { width: 8, height: 8, channels: 4 as const, background: '#ff000000' } };
    const looks = await looksAt(await clean(await sharp(clear).png().toBuffer()), room);
    expect(looks.map((look) => look[0])).toEqual([255, 0]);
  });
});

describe('a rendition', () => {
  it.each([
    ['jpeg', () => photographLikeJpeg({ width: 700, height: 500 })],
    ['png', () => png({ width: 700, height: 500 })],
    ['gif', () => gif({ width: 700, height: 500, delaysMs: [100, 40, 700] })],
  ] as const)('of a %s is of the same type and has the size that members are told', async (type, make) => {
    const { bytes, frames } = await clean(await make());
    const rendition = await renditionOf(bytes, 320, room);
    expect(readPictureHeader(rendition, 9)).toEqual({
      type,
      frames,
      ...renditionSize({ width: 700, height: 500 }, 320),
    });
    expect(rendition.length).toBeLessThan(bytes.length);
  });

  it('of an animation has the same frames, each for the same time', async () => {
    const delaysMs = [100, 40, 700, 250];
    const { bytes } = await clean(await gif({ width: 400, height: 300, frames: 4, delaysMs }));
    const rendition = await renditionOf(bytes, 160, room);
    expect(gifDelaysMs(rendition, 9)).toEqual(delaysMs);
    // Each frame is that of the picture: its mean colour is the same.
    for (const page of [0, 1, 2, 3]) {
      const [small, large] = [await meanOf(rendition, page), await meanOf(bytes, page)];
      for (const channel of [0, 1, 2]) expect(Math.abs(small[channel]! - large[channel]!)).toBeLessThan(4);
    }
  });

  it('of a PNG keeps what is transparent', async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const half = await sharp({ create: { width: 400, height: 200, channels: 4, background: clear } })
      .composite([{ input: await png({ width: 200, height: 200 }), left: 0, top: 0 }])
      .png()
      .toBuffer();
    const rendition = await renditionOf((await clean(half)).bytes, 160, room);
    const { data } = await sharp(rendition)
      .extractChannel('alpha')
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([data.at(10), data.at(150)]).toEqual([255, 0]);
  });

  it('is never larger than the picture: a width that is not less is refused', async () => {
    const { bytes } = await clean(await photographLikeJpeg({ width: 320, height: 200 }));
    for (const width of [320, 321, 1_080])
      await expect(renditionOf(bytes, width, room)).rejects.toMatchObject({ problem: 'too-wide-or-high' });
    expect(readPictureHeader(await renditionOf(bytes, 319, room), 1)).toMatchObject({
      width: 319,
      height: 199,
    });
  });

  it.each([
    ['not-a-picture', async () => svg],
    ['damaged', async () => (await photographLikeJpeg({ width: 400, height: 300 })).subarray(0, 3_000)],
    ['too-many-pixels', () => hugePng({ width: 8_000, height: 8_000 })],
  ] as const)('is refused as %s', async (problem, make) => {
    await expect(renditionOf(await make(), 160, room)).rejects.toMatchObject({ problem });
  });

  it('is made only when there is room for it, as everything else', async () => {
    const full = () => Promise.reject(new Error('no room'));
    const { picture } = await cleanPicture(await photographLikeJpeg(), room);
    for (const task of [
      () => cleanPicture(picture.bytes, full),
      () => renditionOf(picture.bytes, 160, full),
      () => looksAt(picture, full),
      () => smallCopyOf(picture, full),
    ])
      await expect(task()).rejects.toThrow('no room');
  });

  async function meanOf(bytes: Buffer, page: number): Promise<number[]> {
    const { channels } = await sharp(bytes, { page }).toColourspace('srgb').stats();
    return channels.map(({ mean }) => mean);
  }
});
