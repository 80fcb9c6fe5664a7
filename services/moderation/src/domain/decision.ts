/**
 * What decides about a picture: the ruling of a person, the published test pictures, and else the scores of the model. Pure, so that a new
 * threshold can be tried on stored scores.
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Fingerprint } from './fingerprint.ts';

/**
 * The model's scores for one look: a frame of the picture on one background (looks.ts). Every model gives the same two measures from 0 to 1,
 * and labels of its own.
 */
export type Scores = {
  /** How sure the model is that the picture must not be shown. */
  readonly explicit: number;
  /** How sure the model is that the picture is at least suggestive, which includes explicit ones; never below `explicit`. */
  readonly suggestive: number;
  /** The model's own labels, for questions about the verdict later. */
  readonly labels: Readonly<Record<string, number>>;
};

/** A picture is refused if one of its scores is equal to the threshold or higher. */
export type Thresholds = {
  readonly explicit: number;
  /** By default higher than `explicit`, because swimwear is no reason to refuse an honest advertisement. */
  readonly suggestive: number;
};

export type Decision =
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly reason: 'explicit' | 'suggestive' };

/** One unsafe look is enough to refuse the picture. */
export function decide(looks: readonly Scores[], thresholds: Thresholds): Decision {
  // An error gives no verdict, and without a verdict no picture is shown.
  if (looks.length === 0) throw new Error('a decision needs at least one look at the picture');
  for (const reason of ['explicit', 'suggestive'] as const) {
    // Not written as `>=`, because NaN must be refused too, and every comparison with it is false.
    if (!(worst(looks, reason) < thresholds[reason])) return { verdict: 'refused', reason };
  }
  return { verdict: 'allowed' };
}

/** The highest score of all looks: the one that is compared with the threshold. */
export function worst(looks: readonly Scores[], measure: keyof Thresholds): number {
  return Math.max(...looks.map((look) => look[measure]));
}

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

/**
 * The pictures of docs/test-pictures, with which an integrator tries out both answers in TEST mode, by the SHA-256 of the files. They are in
 * integrators' tests: another picture is added, none is ever replaced.
 */
const testVerdicts: ReadonlyMap<string, 'allowed' | 'refused'> = new Map([
  ['e111e52dfbfecffb7ed5c40ff675967552f3f50fa7499e5faa8f5b85faf6e604', 'allowed'],
  ['d0bf7008033a58901666c18f6126d416137a46e1742ac1dd589792eee80d6f96', 'refused'],
]);

/** In LIVE mode they are pictures like any other. */
export function testVerdictOn(contentHash: string, mode: Mode): 'allowed' | 'refused' | undefined {
  return mode === 'TEST' ? testVerdicts.get(contentHash) : undefined;
}
