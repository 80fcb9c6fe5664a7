/**
 * Reads type, size and number of frames from a picture's bytes without decoding or inflating: at most one pass over its block headers.
 * File names and headers from callers are not trusted (decision 18, image limits).
 */
import { gifDelaysMs } from './gif-frames.ts';

export type PictureType = 'jpeg' | 'png' | 'gif';

export type PictureHeader = {
  readonly type: PictureType;
  /** Size of one frame. */
  readonly width: number;
  readonly height: number;
  /** At most `maxFrames` + 1, which means "more". */
  readonly frames: number;
};

const signatures: readonly { readonly type: PictureType; readonly starts: string }[] = [
  { type: 'jpeg', starts: '\xff\xd8\xff' },
  { type: 'png', starts: '\x89PNG\r\n\x1a\n' },
  { type: 'gif', starts: 'GIF87a' },
  { type: 'gif', starts: 'GIF89a' },
];

/** Undefined for every type that the specification does not accept ("Limits": JPG, PNG, GIF). */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 8));
  return signatures.find((signature) => start.startsWith(signature.starts))?.type;
}

/** Why a file has no header: it is none of the three types, or is cut or has no size. */
export type NoHeader = 'not-a-picture' | 'damaged';

export function readPictureHeader(bytes: Uint8Array, maxFrames: number): PictureHeader | NoHeader {
  const type = pictureTypeOf(bytes);
  if (type === undefined) return 'not-a-picture';
  const size = sizeReaders[type](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (size === undefined || size.width === 0 || size.height === 0) return 'damaged';
  const frames = type === 'gif' ? gifDelaysMs(bytes, maxFrames)?.length : 1;
  return frames === undefined || frames === 0 ? 'damaged' : { type, ...size, frames };
}

type Size = { readonly width: number; readonly height: number };

const sizeReaders = {
  gif: (bytes) =>
    bytes.byteLength < 13 ? undefined : { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) },
  // The header is the first chunk: its length, its type, and then the size.
  png: (bytes) =>
    bytes.byteLength < 33 || bytes.getUint32(8) !== 13 || bytes.getUint32(12) !== 0x49484452
      ? undefined
      : { width: bytes.getUint32(16), height: bytes.getUint32(20) },
  jpeg: readJpegSize,
} as const satisfies Record<PictureType, (bytes: DataView) => Size | undefined>;

const startOfScan = 0xda;
const endOfImage = 0xd9;

/** Goes through the segments to the first one that begins a frame. Bytes between segments are skipped, as decoders do. */
function readJpegSize(bytes: DataView): Size | undefined {
  for (let at = 2; at + 9 <= bytes.byteLength; ) {
    const marker = bytes.getUint8(at + 1);
    const isMarker = bytes.getUint8(at) === 0xff && marker !== 0xff && marker !== 0;
    if (!isMarker) at += 1;
    else if (marker === startOfScan || marker === endOfImage) return undefined;
    else if (isStandalone(marker)) at += 2;
    else if (isStartOfFrame(marker))
      return { height: bytes.getUint16(at + 5), width: bytes.getUint16(at + 7) };
    else at += 2 + bytes.getUint16(at + 2);
  }
  return undefined;
}

/** TEM and the restart markers have no length. */
function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** SOF0 to SOF15, without the three markers among them that mean tables (DHT, JPG, DAC). */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
