/** Small files that ask for much: each is within the 5 MiB of an upload and takes far more when it is opened. */
import { deflatedZeros, pngChunk } from '@offer-ads/testing/pictures/pictures';
import sharp, { type Sharp } from 'sharp';

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
  readonly cmyk?: boolean;
  readonly chromaSubsampling?: '4:4:4' | '4:2:0';
  readonly orientation?: number;
}): Promise<Buffer> {
  const { width, height } = o;
  const image = sharp({ create: { width, height, channels: 3, background: '#c08040' } });
  const { progressive = false, chromaSubsampling = '4:2:0' } = o;
  return (o.cmyk ? image.toColourspace('cmyk') : orientation(image, o.orientation))
    .jpeg({ progressive, chromaSubsampling, quality: 50, optimiseCoding: false })
    .toBuffer();
}

// Keeping any metadata would turn CMYK back into sRGB.
function orientation(image: Sharp, value: number | undefined): Sharp {
  return value === undefined ? image : image.withMetadata({ orientation: value });
}

/** A progressive JPEG whose last pass over the picture comes again and again: each takes 15 bytes and all blocks. */
export async function manyScanJpeg(o: { width: number; height: number; scans: number }): Promise<Buffer> {
  const jpeg = await hugeJpeg({ ...o, progressive: true });
  const last = jpeg.lastIndexOf(Buffer.of(0xff, 0xda));
  const scan = jpeg.subarray(last, -2);
  return Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(o.scans).fill(scan), jpeg.subarray(-2)]);
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
