/** Decisions about pictures that come before the model's: of people, and about the published test pictures. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
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
