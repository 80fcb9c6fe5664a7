/**
 * Pictures of the recommended size, 1080 x 1080, made by sharp: soft gradients with grain, which is what a photograph is to a codec
 * and to a classifier. A few are made; each upload is one of them with a comment of its own inside, so no two have the same
 * bytes. Moderation keeps verdicts by the bytes of the upload: a repeated one would be cleaned, but not judged again.
 */
import { randomUUID } from 'node:crypto';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';

const side = 1_080;
const different = 8;

export type Pictures = { readonly next: () => Buffer; readonly bytes: number };

export async function makePictures(): Promise<Pictures> {
  const made = await Promise.all(
    Array.from({ length: different }, (_, seed) =>
      photographLikeJpeg({ width: side, height: side, seed: seed + 1 }),
    ),
  );
  let count = 0;
  const next = () => {
    count += 1;
    return withComment(made[count % different] ?? Buffer.alloc(0), randomUUID());
  };
  return { next, bytes: next().length };
}

/** A JPEG segment right after the start marker: FF FE, its length with these two bytes, text. */
function withComment(jpeg: Buffer, text: string): Buffer {
  const segment = Buffer.alloc(4 + text.length);
  segment.writeUInt16BE(0xff_fe, 0);
  segment.writeUInt16BE(2 + text.length, 2);
  segment.write(text, 4, 'latin1');
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}
