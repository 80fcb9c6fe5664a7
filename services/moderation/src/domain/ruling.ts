/** Decisions of people about pictures, and the outcome for a picture. */
import type { Fingerprint } from './fingerprint.ts';

/** The names of a picture: the SHA-256 of the uploaded bytes, and of the cleaned ones that members see. */
export type PictureNames = {
  readonly contentHash: string;
  readonly cleanHash: string;
  /** Another version of the encoder cleans the same upload to other bytes. Stored offers keep the earlier ones. */
  readonly earlierCleanHashes?: readonly string[];
};

/** The names, and the fingerprints that recognise copies. */
export type Recognised = PictureNames & { readonly fingerprints: readonly Fingerprint[] };

/** `withdraw` takes back the earlier decision: the model decides again. */
export type RulingAction = 'allow' | 'block' | 'withdraw';

/** A person's decision about a picture. It never changes; a new one replaces it. */
export type Ruling = PictureNames & {
  /** Rulings are numbered from 1, in the order in which they were made. */
  readonly number: number;
  readonly action: RulingAction;
  readonly author: string;
  readonly reason: string;
  readonly at: Date;
};

export type RefusalReason = 'explicit' | 'suggestive' | 'blocked' | 'copy-of-blocked';
/** The outcome for a picture, and the ruling behind it, unless the model decided. */
export type Outcome = { readonly ruling?: Ruling } & (
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly reason: RefusalReason }
);

export function namesOf({
  contentHash,
  cleanHash,
  earlierCleanHashes = [],
}: PictureNames): readonly string[] {
  return [contentHash, cleanHash, ...earlierCleanHashes];
}

/**
 * The latest ruling about a picture applies. An `allow` is for this picture only, a `block` also for its copies: a copy that was allowed
 * before is refused after the block, and can be allowed again.
 * @param onIt the latest ruling on one of its names, unless withdrawn
 * @param onItsLike the latest block of a picture of which it is a copy
 */
export function rulingOn(onIt: Ruling | undefined, onItsLike: Ruling | undefined): Outcome | undefined {
  if (onItsLike !== undefined && (onIt === undefined || onItsLike.number > onIt.number))
    return { verdict: 'refused', reason: 'copy-of-blocked', ruling: onItsLike };
  if (onIt === undefined) return undefined;
  return onIt.action === 'block'
    ? { verdict: 'refused', reason: 'blocked', ruling: onIt }
    : { verdict: 'allowed', ruling: onIt };
}
