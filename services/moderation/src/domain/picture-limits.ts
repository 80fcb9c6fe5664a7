/** What may be opened: told from the header, before any pixel is decoded. */
import { type PictureType, readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';

/** What the header of a picture says. */
export type Header = {
  readonly type: PictureType;
  /** Of one frame. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly channels: number;
  readonly bytesPerChannel: number;
  /** Progressive JPEG, interlaced PNG: the last row is known only when the whole file has been read. */
  readonly wholeAtOnce: boolean;
  /** The camera was held in another way, so that the last row may become the first column. */
  readonly turned: boolean;
  /** Of a JPEG, such as `4:2:0`. */
  readonly subsampling?: string | undefined;
  /** Of a JPEG: how often the decoder goes over the picture. */
  readonly scans?: number;
};

/** Why a file is no picture that can be taken; offers tells the advertiser. */
export type LimitProblem =
  | 'too-many-pixels'
  | 'too-many-frames'
  | 'too-many-scans'
  | 'too-wide-or-high'
  | 'too-much-memory';

/** Over all frames (decision 18, image limits). A picture of 776 KB can hold 256 megapixels, which take 824 MB to decode. */
export const mostPixels = 50_000_000;
/** Each frame costs a fixed effort however small it is; no animation in 5 MiB that anybody watches has more. */
export const mostFrames = 2_000;
/** Decoders hold a few rows at a time: one row of 50 megapixels takes gigabytes. Browsers show no more either. */
export const mostSide = 16_384;
/** Encoders write about ten. Each takes the decoder some milliseconds a megapixel, however few bytes it has: 883 took 8 s. */
export const mostScans = 100;
/** The photographs of most phones have fewer. The slowest such picture takes 1.5 s, ordinary ones 0.1 s; 50 megapixels take up to 6 s. */
const largeFromPixels = 12_500_000;
/** With it all else stays below 512 MB: a progressive JPEG (4:2:0) or one that is turned fits up to 26 megapixels. */
export const mostHeldBytes = 96 * 2 ** 20;
/** That libvips has on their way from the decoder to the encoder, as measured. */
const rowsUnderWay = 1_000;

export function limitProblem(header: Header): LimitProblem | undefined {
  const { width, height, frames, scans = 1 } = header;
  if (frames > mostFrames) return 'too-many-frames';
  if (scans > mostScans) return 'too-many-scans';
  if (width * height * frames > mostPixels) return 'too-many-pixels';
  if (width > mostSide || height > mostSide) return 'too-wide-or-high';
  return heldBytes(header) > mostHeldBytes ? 'too-much-memory' : undefined;
}

/**
 * It may take seconds to open (decision 173, places for large pictures). Told from its first bytes; what is no
 * picture is refused soon and is not large.
 */
export function isLarge(upload: Uint8Array): boolean {
  const header = readPictureHeader(upload, mostFrames);
  return header !== undefined && hasManyPixels(header);
}

/** Over all frames. */
export function hasManyPixels({
  width,
  height,
  frames,
}: Pick<Header, 'width' | 'height' | 'frames'>): boolean {
  return width * height * frames > largeFromPixels;
}

const startOfScan = Uint8Array.of(0xff, 0xda);

/** At least as many as a decoder finds in a JPEG: previews within its metadata count too. */
export function countScans(jpeg: Uint8Array): number {
  const bytes = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let scans = 0;
  for (
    let at = bytes.indexOf(startOfScan);
    at >= 0 && scans <= mostScans;
    at = bytes.indexOf(startOfScan, at + 2)
  )
    scans += 1;
  return scans;
}

/** What decoding holds in memory at once, as measured; most pictures pass through some rows at a time. */
export function heldBytes(header: Header): number {
  const bytesPerRow = header.width * header.channels * header.bytesPerChannel;
  const decoded = bytesPerRow * header.height;
  const underWay = bytesPerRow * Math.min(header.height, rowsUnderWay);
  const turning = header.turned ? decoded : 0;
  switch (header.type) {
    case 'jpeg':
      return underWay + turning + (header.wholeAtOnce ? coefficients(header) * 2 : 0);
    case 'png':
      return underWay + turning + (header.wholeAtOnce ? decoded : 0);
    case 'gif':
      // The frame, the one before that it is drawn upon, and both once more in the encoder, four bytes a pixel each.
      return underWay + header.width * header.height * 16;
  }
}

/** Two bytes each, and all of them wait until the last pass over the picture has been read. */
function coefficients({ width, height, subsampling, channels }: Header): number {
  const perPixel = { '4:2:0': 1.5, '4:2:2': 2, '4:4:0': 2 }[subsampling ?? ''] ?? channels;
  return width * height * perPixel;
}
