/** Opens uploaded pictures: three decoders only, limits before decoding; the result is a clean picture. */
import { gifDelaysMs, wholeGif } from '@offer-ads/contracts/pictures/gif-frames';
import {
  type PictureType,
  pictureTypeOf,
  readPictureHeader,
} from '@offer-ads/contracts/pictures/picture-header';
import { renditionSize } from '@offer-ads/contracts/pictures/renditions';
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import {
  type Frame,
  framesToLookAt,
  lookSide,
  maxFrames as maxFramesSeen,
  opaqueLooks,
  thumbnailSide,
} from '../domain/looks.ts';
import {
  countScans,
  essentialPng,
  type Header,
  hasManyPixels,
  heldBytes,
  isLarge,
  keptBytes,
  limitProblem,
  maxFrames,
  maxPixels,
  Unopenable,
  withEndMarker,
} from '../domain/picture-limits.ts';

// sharp reads SVG, TIFF and more by default; each further decoder is a risk.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadNsgifBuffer'],
});
// Every upload is a different picture, so a cache would only take memory.
sharp.cache(false);
// As many pictures are opened at once as there are cores, so more threads per picture would only take more memory.
sharp.concurrency(1);

/**
 * Looks the same as the upload, with a fraction of the bytes of quality 100. The best Huffman code would save 1 to 3 % of the bytes of a
 * photograph, for three times the time.
 */
const jpegOptions = { quality: 88, optimiseCoding: false } as const;
/** Three times the largest upload: a few bytes can decode to many, and members would have to load them. */
const maxCleanBytes = 16 * 2 ** 20;

const lookSize = { width: lookSide, height: lookSide };
/** For frames that are decoded together, in the size of a look. */
const maxFrameBytes = 24 * 2 ** 20;

export type CleanPicture = {
  readonly type: PictureType;
  readonly frames: number;
  /** The frames that the model looks at. */
  readonly seen: readonly number[];
  readonly bytes: Buffer;
  /** The memory that opening it again takes. */
  readonly heldBytes: number;
};

export type Cleaned = {
  readonly picture: CleanPicture;
  /** Of small still pictures, whose pixels are in memory at that time. */
  readonly looks: readonly Uint8Array[] | undefined;
};

/** Resolves when the process may hold this much memory, until its task ends. Rejects if nobody waits for the picture any more. */
export type TakeRoom = (bytes: number) => Promise<void>;

/**
 * Auto-oriented, in sRGB, without metadata or other hidden data; of the same type, and a GIF stays animated.
 * @throws {Unopenable}
 */
export async function cleanPicture(upload: Uint8Array, takeRoom: TakeRoom): Promise<Cleaned> {
  const type = pictureTypeOf(upload);
  if (type === undefined) throw new Unopenable('not-a-picture');
  const frames = type === 'gif' ? (gifDelaysMs(upload, maxFrames)?.length ?? 0) : 1;
  if (frames === 0) throw new Unopenable('damaged');
  // Reading even the header of a GIF takes memory for every frame.
  if (frames > maxFrames) throw new Unopenable('too-many-frames');
  const { bytes, options } = toDecode(upload, type);
  const header = await readHeader(bytes, type, frames);
  // For example a GIF whose first frame is larger than its screen: as a small picture it would block a slot for pictures that open fast.
  if (hasManyPixels(header) && !isLarge(upload)) throw new Unopenable('damaged');
  await takeRoom(heldBytes(header) + keptBytes(header));
  const { clean, looks } = await cleanedAndSeen(sharp(bytes, options).autoOrient(), header).catch(damaged);
  if (clean.length > maxCleanBytes) throw new Unopenable('too-many-bytes');
  // A cleaned picture is cheaper to open.
  const plain = { ...header, bytesPerChannel: 1, wholeAtOnce: false, turned: false };
  // The encoder merges equal consecutive frames, so there may be fewer now.
  const delaysMs = type === 'gif' ? gifDelaysMs(clean, maxFrames) : [0];
  if (delaysMs === undefined) throw new Unopenable('damaged');
  const picture = { type, frames: delaysMs.length, bytes: clean, heldBytes: heldBytes(plain) };
  return { picture: { ...picture, seen: await framesSeen(picture, delaysMs) }, looks };
}

/**
 * A cleaned picture in this width: of the same type, and a GIF stays animated.
 * @throws {Unopenable} if it cannot be opened within the limits, or is not wider
 */
export async function renditionOf(cleaned: Uint8Array, width: number, takeRoom: TakeRoom): Promise<Buffer> {
  const found = readPictureHeader(cleaned, maxFrames);
  if (typeof found === 'string') throw new Unopenable(found);
  const { type, frames } = found;
  const header = await readHeader(cleaned, type, frames);
  // An enlarged picture could be of any size.
  if (width >= header.width) throw new Unopenable('too-wide-or-high');
  const size = renditionSize(header, width);
  await takeRoom(heldBytes(header));
  const resizing = sharp(cleaned, readAs(type)).resize(size.width, size.height, { fit: 'fill' });
  return encoded(resizing, type).toBuffer().catch(damaged);
}

function damaged(cause: unknown): never {
  throw new Unopenable('damaged', { cause });
}

/** Makes the looks too where the pixels are kept in memory; elsewhere they take another decoding, which `looksAt` does when they are needed. */
async function cleanedAndSeen(
  upright: Sharp,
  header: Header,
): Promise<{ clean: Buffer; looks: readonly Uint8Array[] | undefined }> {
  if (keptBytes(header) === 0)
    return { clean: await encoded(upright, header.type).toBuffer(), looks: undefined };
  const { data, info } = await upright.raw().toBuffer({ resolveWithObject: true });
  const pixels = () => sharp(data, { raw: info });
  const clean = await encoded(pixels(), header.type).toBuffer();
  // Without transparency the pixels are the look.
  const isOpaque = info.channels === 3;
  const looks = isOpaque ? [await resized(pixels(), lookSize)] : opaqueLooks(await rgba(pixels(), lookSize));
  return { clean, looks };
}

/**
 * Squares of 224 pixels in RGB, made from the bytes that members will see.
 * @throws {Unopenable}
 */
export async function looksAt(picture: CleanPicture, takeRoom: TakeRoom): Promise<readonly Uint8Array[]> {
  const looks: Uint8Array[] = [];
  for await (const frame of framesAs(picture, lookSize, takeRoom)) looks.push(...opaqueLooks(frame));
  return looks;
}

/** The frames to look at, as RGBA. Many are decoded at once, because decoding a frame needs all frames before it. */
async function* framesAs(
  picture: CleanPicture,
  size: FrameSize,
  takeRoom: TakeRoom,
): AsyncGenerator<Uint8Array> {
  await takeRoom(picture.heldBytes + (picture.frames > 1 ? maxFrameBytes : 0));
  const frameBytes = size.width * size.height * 4;
  const atOnce = Math.max(1, Math.floor(maxFrameBytes / frameBytes));
  for (let first = 0; first < picture.frames; first += atOnce) {
    const seen = picture.seen.filter((page) => page >= first && page < first + atOnce);
    const from = seen[0];
    const to = seen.at(-1);
    if (from === undefined || to === undefined) continue;
    const range = picture.type === 'gif' ? { page: from, pages: to - from + 1 } : {};
    const frames = await rgba(sharp(picture.bytes, { ...strict, ...range }), size);
    if (frames.length !== (to - from + 1) * frameBytes) throw new Unopenable('damaged');
    for (const page of seen)
      yield frames.subarray((page - from) * frameBytes, (page - from + 1) * frameBytes);
  }
}

type FrameSize = { readonly width: number; readonly height: number };

/** The frames are one below the other. */
function rgba(image: Sharp, size: FrameSize): Promise<Buffer> {
  return resized(image.ensureAlpha(), size);
}

/** Stretched to the size. Pixels with the channels of the image; 3 or 4, because they are sRGB. */
function resized(image: Sharp, { width, height }: FrameSize): Promise<Buffer> {
  return image.resize(width, height, { fit: 'fill' }).toColourspace('srgb').raw().toBuffer().catch(damaged);
}

async function framesSeen(
  { type, bytes }: Omit<CleanPicture, 'seen'>,
  delaysMs: readonly number[],
): Promise<readonly number[]> {
  if (delaysMs.length <= maxFramesSeen) return delaysMs.map((_, page) => page);
  const size = { width: thumbnailSide, height: thumbnailSide };
  const thumbnails = await rgba(sharp(bytes, readAs(type)), size);
  const thumbnailBytes = thumbnailSide ** 2 * 4;
  const frames = delaysMs.map((delayMs, page): Frame => {
    return { delayMs, thumbnail: thumbnails.subarray(page * thumbnailBytes, (page + 1) * thumbnailBytes) };
  });
  return framesToLookAt(frames, Math.random);
}

/** `error` refuses truncated or broken files, but accepts a picture with an odd profile, which every browser shows. */
const strict: SharpOptions = { failOn: 'error', limitInputPixels: maxPixels };

function readAs(type: PictureType): SharpOptions {
  return type === 'gif' ? { ...strict, animated: true } : strict;
}

/** What the decoder gets of an upload. An end marker that is added must not hide that pixels are missing, so then nothing odd is accepted. */
function toDecode(upload: Uint8Array, type: PictureType): { bytes: Uint8Array; options: SharpOptions } {
  const options = readAs(type);
  switch (type) {
    case 'jpeg': {
      const bytes = withEndMarker(upload);
      return bytes === undefined
        ? { bytes: upload, options }
        : { bytes, options: { ...options, failOn: 'warning' } };
    }
    case 'png':
      return { bytes: essentialPng(upload), options };
    case 'gif':
      return { bytes: wholeGif(upload), options };
  }
}

/**
 * Reads only the header. The decoder has no limit here, so that the refusal can name the problem.
 * @throws {Unopenable} if the picture is beyond the limits
 */
async function readHeader(bytes: Uint8Array, type: PictureType, frames: number): Promise<Header> {
  const reading = sharp(bytes, { failOn: 'error', limitInputPixels: false }).metadata();
  const found: Metadata = await reading.catch(damaged);
  const header = {
    type,
    width: found.width,
    height: found.height,
    frames,
    channels: found.channels,
    bytesPerChannel: found.depth === 'uchar' ? 1 : 2,
    wholeAtOnce: found.isProgressive ?? false,
    turned: (found.orientation ?? 1) > 1,
    subsampling: found.chromaSubsampling,
    scans: type === 'jpeg' ? countScans(bytes) : 1,
  };
  const problem = limitProblem(header);
  if (problem !== undefined) throw new Unopenable(problem);
  return header;
}

function encoded(image: Sharp, type: PictureType): Sharp {
  switch (type) {
    case 'jpeg':
      return image.jpeg(jpegOptions);
    case 'png':
      return image.png();
    case 'gif':
      // The frames come with their palettes, so dithering or a long search for better palettes gains nothing.
      return image.gif({ effort: 1, dither: 0 });
  }
}

// A copy of a refused picture for the person who reviews it: small, not animated, with everything that the model looked at.

/** Enough to recognise everything in a still picture, and in each frame of an animation. */
const stillSide = 768;
const frameSide = 384;
const framesAcross = 4;
const fewFrames = 8;
/** With more frames, each is smaller, so that the copy stays about as large. */
const manyFramesSide = 256;
const manyFramesAcross = 6;
const quality = 75;

/** A JPEG: the picture on white and, if that differs, on black; for an animation, the frames that are looked at. */
export async function smallCopyOf(picture: CleanPicture, takeRoom: TakeRoom): Promise<Buffer> {
  const { seen, bytes } = picture;
  const tiles: Buffer[] = [];
  if (seen.length === 1) {
    await takeRoom(picture.heldBytes);
    const limits = { fit: 'inside', withoutEnlargement: true } as const;
    const still = sharp(bytes).resize(stillSide, stillSide, limits).toColourspace('srgb');
    tiles.push(...(await onBackgrounds(still)));
  } else {
    const size = await frameSize(bytes, seen.length > fewFrames ? manyFramesSide : frameSide);
    for await (const frame of framesAs(picture, size, takeRoom)) {
      const raw = { ...size, channels: 4 } as const;
      tiles.push(...(await onBackgrounds(sharp(frame, { raw }))));
    }
  }
  const across = seen.length > fewFrames ? manyFramesAcross : framesAcross;
  return sideBySide(tiles, across).jpeg({ quality }).toBuffer();
}

/** In the picture's proportions, never larger than the picture. */
async function frameSize(bytes: Buffer, side: number): Promise<{ width: number; height: number }> {
  const { width, height } = await sharp(bytes).metadata();
  const scale = Math.min(1, side / Math.max(width, height));
  const scaled = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: scaled(width), height: scaled(height) };
}

async function onBackgrounds(image: Sharp): Promise<readonly Buffer[]> {
  const frame = await image.png().toBuffer();
  const backgrounds = await backgroundsFor(frame);
  return Promise.all(backgrounds.map((background) => sharp(frame).flatten({ background }).png().toBuffer()));
}

function sideBySide(tiles: readonly Buffer[], most: number): Sharp {
  if (tiles.length === 1) return sharp(tiles[0]);
  const across = Math.min(most, tiles.length);
  return sharp([...tiles], { join: { across, shim: 8, background: '#808080' } });
}

async function backgroundsFor(frame: Buffer): Promise<readonly string[]> {
  const { isOpaque } = await sharp(frame).stats();
  return isOpaque ? ['#fff'] : ['#fff', '#000'];
}
