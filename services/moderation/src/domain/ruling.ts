/** What people decide about pictures, and what holds for a picture in the end. */
import type { Fingerprint } from './fingerprint.ts';

/** A picture has two names: the SHA-256 of the bytes as uploaded, and of the cleaned ones that members see. */
export type PictureNames = { readonly contentHash: string; readonly cleanHash: string };

/** The names, and what copies of it are recognised by. */
export type Recognised = PictureNames & { readonly fingerprints: readonly Fingerprint[] };

/** To withdraw takes back what was decided before: the model decides again. */
export type RulingAction = 'allow' | 'block' | 'withdraw';

/** A person's decision on a picture. It is never changed; another one follows it. */
export type Ruling = PictureNames & {
  /** Rulings count from 1, in the order in which they were made. */
  readonly number: number;
  readonly action: RulingAction;
  readonly author: string;
  readonly reason: string;
  readonly at: Date;
};

export type RefusalReason = 'explicit' | 'suggestive' | 'blocked' | 'copy-of-blocked';
/** What becomes of a picture, and the ruling by which it does, if it was not left to the model. */
export type Outcome = { readonly ruling?: Ruling } & (
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly reason: RefusalReason }
);

export function namesOf({ contentHash, cleanHash }: PictureNames): readonly string[] {
  return [contentHash, cleanHash];
}

/**
 * Of the rulings that concern a picture the latest holds. An `allow` is for this very picture, a `block` for its copies
 * too: so a copy that was allowed before is refused from the block on, and may be allowed again.
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
