/** Pictures that only moderation's tests need: blank ones of any size for next to nothing. */
import sharp from 'sharp';

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
