/** Pictures that only moderation's tests need: blank ones of any size for next to nothing. */
import { deflateSync } from 'node:zlib';
import { pngChunk } from '@offer-ads/testing/pictures/pictures';
import sharp from 'sharp';

/** Black, 1 bit a pixel: 16,000 x 16,000 pixels in 32 KB, made without ever holding the pixels as bytes. */
export function blankPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8);
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const pixels = pngChunk('IDAT', deflateSync(rows));
  const chunks = [pngChunk('IHDR', header), pixels, pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

/** As many frames as asked for, an even number: two are encoded, and their bytes repeated. */
export async function blankGif(width: number, height: number, frames: number): Promise<Buffer> {
  const stills = await Promise.all(
    ['#000', '#fff'].map((background) =>
      sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const two = await sharp(stills, { join: { animated: true } })
    .gif({ effort: 1 })
    .toBuffer();
  const packed = two[10] ?? 0;
  const head = (packed & 0x80) === 0 ? 13 : 13 + 3 * 2 ** ((packed & 7) + 1);
  const body = two.subarray(head, -1);
  return Buffer.concat([two.subarray(0, head), ...Array<Buffer>(frames / 2).fill(body), two.subarray(-1)]);
}
