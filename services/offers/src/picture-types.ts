/** The three types of picture that are taken, told by their bytes and never by their name (decision 18). */
import type { VerdictReply } from '@offer-ads/contracts/moderation-api';
import sharp from 'sharp';
import type { PictureFacts } from './domain/offer-form.ts';

export type PictureType = Extract<VerdictReply, { verdict: 'allowed' }>['contentType'];

export const extensions = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
} as const satisfies Record<PictureType, string>;

/** The type of a kept picture, from the name that it was kept under. */
export function pictureTypeOf(name: string): PictureType {
  const known = Object.entries(extensions).find(([, extension]) => name.endsWith(`.${extension}`));
  if (known === undefined) throw new Error('not the name of a kept picture');
  return known[0] as PictureType;
}

// Left to itself the decoder reads SVG, PDF and more: everything but the three is switched off for the process.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadNsgifBuffer'],
});

/** Reads the head only: nothing is decoded, so a picture of any size costs next to nothing. */
export async function inspectPicture(bytes: Buffer): Promise<PictureFacts> {
  try {
    // The pixel limit is a field rule of its own with its own words, so the decoder's is off here.
    const head = await sharp(bytes, { animated: true, limitInputPixels: false }).metadata();
    if (head.format !== 'jpeg' && head.format !== 'png' && head.format !== 'gif') return 'unknown';
    // Of an animation `height` is all frames below each other.
    return { format: head.format, pixels: head.width * head.height };
  } catch {
    return 'unknown';
  }
}
