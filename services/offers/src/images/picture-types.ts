/** The three accepted picture types, and their file extensions. */
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';

export type PictureType = Extract<VerdictReply, { verdict: 'allowed' }>['contentType'];

export const extensions = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
} as const satisfies Record<PictureType, string>;

/** The type of a stored picture, from its name. */
export function pictureTypeOf(name: string): PictureType {
  const known = Object.entries(extensions).find(([, extension]) => name.endsWith(`.${extension}`));
  if (known === undefined) throw new Error('not the name of a kept picture');
  return known[0] as PictureType;
}
