/** Which pictures may be opened, and what of a PNG: decided from headers, before any pixel is decoded. */
import { type PictureType, readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';

/** The data in a picture's header. */
export type Header = {
  readonly type: PictureType;
  /** Of one frame. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly channels: number;
  readonly bytesPerChannel: number;
  /** Progressive JPEG or interlaced PNG: the last row is known only when the whole file has been read. */
  readonly wholeAtOnce: boolean;
  /** The camera was rotated, so the last row may become the first column. */
  readonly turned: boolean;
  /** For a JPEG, such as `4:2:0`. */
  readonly subsampling?: string | undefined;
  /** For a JPEG: the number of passes of the decoder over the picture. */
  readonly scans?: number;
};

/** Why a file is refused; offers shows the reason to the advertiser. */
export type Problem = 'not-a-picture' | 'damaged' | 'too-many-bytes' | LimitProblem;
type LimitProblem =
  | 'too-many-pixels'
  | 'too-many-frames'
  | 'too-many-scans'
  | 'too-wide-or-high'
  | 'too-much-memory';

/** A picture cannot be opened. Its content may be the cause, so it is a verdict like any other. */
export class Unopenable extends Error {
  override readonly name = 'Unopenable';
  readonly problem: Problem;

  constructor(problem: Problem, cause?: ErrorOptions) {
    super(`a picture cannot be opened: ${problem}`, cause);
    this.problem = problem;
  }
}

/** Over all frames (decision 18, image limits). A file of 776 KB can contain 256 megapixels, which need 824 MB to decode. */
export const maxPixels = 50_000_000;
/** Each frame costs a minimum effort, however small it is; no normal animation in 5 MiB has more. */
export const maxFrames = 2_000;
/** Decoders hold a few rows at a time: one row of 50 megapixels would take gigabytes. Browsers do not show larger pictures either. */
export const maxSide = 16_384;
/** Encoders write about ten. Each scan takes the decoder some milliseconds per megapixel, however few bytes it has: 883 scans took 8 s. */
export const maxScans = 100;
/**
 * Photographs of most phones are smaller. The slowest picture of this size takes 1.5 s, ordinary ones 0.1 s; 50 megapixels take up to 6 s.
 */
const largeFromPixels = 12_500_000;
/** Keeps the total below 512 MB: a progressive JPEG (4:2:0) or a rotated picture fits up to 26 megapixels. */
export const maxHeldBytes = 96 * 2 ** 20;
/** Pictures that hold more are opened one at a time, in whichever slots they are. So memory hardly grows with the number of slots. */
export const roomNeededFrom = 24 * 2 ** 20;
/** The recommended size and screens of phones, in up to 10 MB. */
const maxPixelsToKeep = 2_500_000;
/** The rows that libvips holds between decoder and encoder, as measured. */
const rowsUnderWay = 1_000;

export function limitProblem(header: Header): LimitProblem | undefined {
  const { width, height, frames, scans = 1 } = header;
  if (frames > maxFrames) return 'too-many-frames';
  if (scans > maxScans) return 'too-many-scans';
  if (width * height * frames > maxPixels) return 'too-many-pixels';
  if (width > maxSide || height > maxSide) return 'too-wide-or-high';
  return heldBytes(header) > maxHeldBytes ? 'too-much-memory' : undefined;
}

/**
 * Whether it may take seconds to open. Decided from the first bytes; a file that is no picture is
 * refused soon and does not count as large.
 */
export function isLarge(upload: Uint8Array): boolean {
  const header = readPictureHeader(upload, maxFrames);
  return typeof header !== 'string' && hasManyPixels(header);
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
const endOfImage = Uint8Array.of(0xff, 0xd9);

/**
 * With an end marker, which some encoders leave out. Within the pixels of a scan no two bytes look like one.
 * @returns undefined if the file has its own behind the last scan
 */
export function withEndMarker(jpeg: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  return bytes.lastIndexOf(endOfImage) < bytes.lastIndexOf(startOfScan)
    ? Buffer.concat([bytes, endOfImage])
    : undefined;
}

/** At least the number of scans that a decoder finds in a JPEG: previews within its metadata are counted too. */
export function countScans(jpeg: Uint8Array): number {
  const bytes = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let scans = 0;
  for (
    let at = bytes.indexOf(startOfScan);
    at >= 0 && scans <= maxScans;
    at = bytes.indexOf(startOfScan, at + 2)
  )
    scans += 1;
  return scans;
}

/** Of a small still picture, whose pixels are decoded once and kept to be cleaned and looked at; 0 for others. */
export function keptBytes({ type, width, height, channels, bytesPerChannel }: Header): number {
  const isKept = type !== 'gif' && bytesPerChannel === 1 && width * height <= maxPixelsToKeep;
  return isKept ? width * height * channels : 0;
}

/** The memory that decoding holds at once, as measured; most pictures are processed some rows at a time. */
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
      // The frame, the frame before it, and both again in the encoder, four bytes per pixel each.
      return underWay + header.width * header.height * 16;
  }
}

/** Two bytes each; all of them are held until the last scan has been read. */
function coefficients({ width, height, subsampling, channels }: Header): number {
  const perPixel = { '4:2:0': 1.5, '4:2:2': 2, '4:4:0': 2 }[subsampling ?? ''] ?? channels;
  return width * height * perPixel;
}

/**
 * Kept besides the critical chunks: transparency, colour profile, rotation, and the density, which the encoder writes anyway. A cleaned
 * picture therefore stays the same when it is cleaned again.
 */
const keptKinds: ReadonlySet<string> = new Set(['tRNS', 'iCCP', 'eXIf', 'pHYs']);
/** Profiles have a few kilobytes; the decoder inflates none to more than 8 MB. */
const maxAncillaryBytes = 2 ** 20;

const signatureEnd = 8;
/** Length and type before the data, a checksum after it. */
const frameBytes = 12;

/** Keeps each ancillary kind at most once. A truncated chunk stays as it is, and the decoder refuses it. */
export function essentialPng(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept = [bytes.subarray(0, signatureEnd)];
  const ancillaryKinds = new Set<string>();
  let at = signatureEnd;
  for (let end = 0; at + frameBytes <= bytes.length; at = end) {
    const dataBytes = view.getUint32(at);
    end = at + frameBytes + dataBytes;
    const kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const isNeeded =
      isCritical(kind) ||
      (keptKinds.has(kind) && !ancillaryKinds.has(kind) && dataBytes <= maxAncillaryBytes);
    if (isNeeded) kept.push(bytes.subarray(at, end));
    if (kind === 'IEND') break;
    if (isNeeded && !isCritical(kind)) ancillaryKinds.add(kind);
  }
  return Buffer.concat(kept);
}

/** Bit 5 of the first letter makes it a lower-case letter and marks a chunk that a decoder may ignore. */
function isCritical(kind: string): boolean {
  return (kind.charCodeAt(0) & 0x20) === 0;
}
