/** The answer to offers: the picture that members will see, or why there is none. */
import type { StoredVerdictReply, VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import type { PictureType } from '@offer-ads/contracts/pictures/picture-header';
import type { Problem } from '../domain/picture-limits.ts';
import type { RefusalReason } from '../domain/ruling.ts';
import type { CleanPicture } from '../pictures/pictures.ts';

const contentTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
} as const satisfies Record<PictureType, string>;

/** Sentences, because offers quotes them to the advertiser. */
export const problems: Record<Problem, string> = {
  'not-a-picture': 'image must be a JPG, PNG or GIF',
  damaged: 'image is damaged or incomplete',
  'too-many-pixels': 'image must have at most 50 megapixels over all frames',
  'too-many-frames': 'image must have at most 2,000 frames',
  'too-many-scans': 'image must have at most 100 scans: save it as a JPEG that is not progressive',
  'too-wide-or-high': 'image must be at most 16,384 pixels wide and high',
  'too-much-memory': 'image takes too much memory to open: save it smaller, or not progressive or interlaced',
  'too-many-bytes': 'image becomes too large when it is cleaned: save it smaller, 1080 x 1080 pixels is best',
};

export const reasons: Record<RefusalReason | 'test', string> = {
  explicit: 'the picture looks explicit',
  suggestive: 'the picture looks too suggestive',
  blocked: 'the picture is blocked',
  'copy-of-blocked': 'the picture looks like one that is blocked',
  test: 'the test picture that is always refused',
};

export function allowed({ type, bytes }: CleanPicture): VerdictReply {
  return { verdict: 'allowed', contentType: contentTypes[type], bytes };
}

export function refused(
  reason: keyof typeof reasons,
): Extract<StoredVerdictReply, { readonly verdict: 'refused' }> {
  return { verdict: 'refused', reason: reasons[reason] };
}

export function unreadable(problem: Problem): VerdictReply {
  return { verdict: 'unreadable', problem: problems[problem] };
}
