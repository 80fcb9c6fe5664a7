/** Small files that ask for much: each is within the 5 MiB of an upload and takes far more when it is opened. */
import { deflatedZeros, pngChunk } from '@offer-ads/testing/pictures/pictures';
import sharp from 'sharp';

type Png = {
  readonly width: number;
  readonly height: number;
  /** Bits of a channel. */
  readonly depth?: 1 | 8 | 16;
  readonly channels?: 1 | 3 | 4;
  readonly interlaced?: boolean;
  /** Between the header and the pixels. */
  readonly chunks?: readonly Buffer[];
};

/** All black and transparent, valid from the first byte to the last; never held as pixels here. */
export async function hugePng({
  width,
  height,
  depth = 8,
  channels = 4,
  interlaced = false,
  chunks = [],
}: Png) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(depth, 8);
  header.writeUInt8({ 1: 0, 3: 2, 4: 6 }[channels], 9);
  header.writeUInt8(interlaced ? 1 : 0, 12);
  const bytes = (interlaced ? passes : [wholePass])
    .map(([x, y, dx, dy]) => [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)] as const)
    .filter(([columns, rows]) => columns > 0 && rows > 0)
    .reduce((sum, [columns, rows]) => sum + rows * (1 + Math.ceil((columns * channels * depth) / 8)), 0);
  const pixels = await deflatedZeros(bytes);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

type Pass = readonly [x: number, y: number, everyX: number, everyY: number];
const wholePass: Pass = [0, 0, 1, 1];
/** Adam7. */
const passes: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/** An Exif block that says nothing but how the camera was held. */
export function orientationExif(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

export async function hugeJpeg(o: {
  readonly width: number;
  readonly height: number;
  readonly progressive?: boolean;
  readonly orientation?: number;
}): Promise<Buffer> {
  const { width, height } = o;
  const image = sharp({ create: { width, height, channels: 3, background: '#c08040' } });
  return (o.orientation === undefined ? image : image.withMetadata({ orientation: o.orientation }))
    .jpeg({ progressive: o.progressive ?? false, quality: 50, optimiseCoding: false })
    .toBuffer();
}

/**
 * A grey progressive JPEG that is valid, with 883 scans at most: all coefficients are 0, and each comes bit by bit. A scan takes
 * some hundred bytes, and the decoder goes over all blocks for it.
 */
export function manyScanJpeg(o: {
  readonly width: number;
  readonly height: number;
  readonly scans: number;
}): Buffer {
  const { width, height } = o;
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  const lengths = [1, ...Array<number>(15).fill(0)];
  // A code of one bit each: "no difference", and "no coefficient in as many blocks as the next 14 bits say".
  const codes = [0x00, ...lengths, 0x00, 0x10, ...lengths, 0xe0];
  const emptyBlocks = entropyCoded(`0${'1'.repeat(14)}`.repeat(Math.ceil(blocks / 32_767)));
  const refinements = Array.from({ length: o.scans - 1 }, (_, scan) => {
    const coefficient = 1 + Math.floor(scan / 14);
    const bit = 13 - (scan % 14);
    const before = bit === 13 ? 0 : bit + 1;
    const header = segment(0xda, [1, 1, 0, coefficient, coefficient, before * 16 + bit]);
    return Buffer.concat([header, emptyBlocks]);
  });
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xc2, frame),
    segment(0xc4, codes),
    segment(0xda, [1, 1, 0, 0, 0, 0]),
    entropyCoded('0'.repeat(blocks)),
    ...refinements,
    Buffer.of(0xff, 0xd9),
  ]);
}

function segment(marker: number, data: readonly number[]): Buffer {
  const length = data.length + 2;
  return Buffer.of(0xff, marker, length >> 8, length & 255, ...data);
}

function entropyCoded(bits: string): Buffer {
  const bytes = (bits.match(/.{1,8}/g) ?? []).map((eight) => Number.parseInt(eight.padEnd(8, '1'), 2));
  return Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte])));
}

/** One frame of that size as its header says, and pixels for hardly any of it. */
export function hugeFrameGif(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const twoColours = Buffer.of(0, 0, 0, 255, 255, 255);
  const screen = Buffer.concat([Buffer.from('GIF89a', 'latin1'), size, Buffer.of(0x80, 0, 0), twoColours]);
  const frame = Buffer.concat([Buffer.of(0x2c, 0, 0, 0, 0), size, Buffer.of(0)]);
  return Buffer.concat([screen, frame, Buffer.of(2, 2, 0x44, 0x01, 0, 0x3b)]);
}
