/** The platform team's review of verdicts: reads them and overrules them. Every decision is kept for ever. */
import type { Clock } from '@offer-ads/platform/process/clock';
import {
  type Decision,
  namesOf,
  type Outcome,
  type PictureNames,
  type Recognised,
  type Ruling,
  type RulingAction,
} from '../domain/decision.ts';
import type {
  CopiesStore,
  PicturesFilter,
  PicturesStore,
  UploadedPicture,
} from '../pictures/pictures-store.ts';
import type { Admission } from './admission.ts';
import { recognise } from './judge-picture.ts';
import type { CachedRulings, RulingsStore } from './rulings-store.ts';
import { type Basis, isSameBasis, type Judgement, type VerdictsStore } from './verdicts-store.ts';

export type Review = {
  readonly pictures: PicturesStore;
  readonly verdicts: VerdictsStore;
  readonly rulings: RulingsStore;
  readonly cached: CachedRulings;
  readonly copies: CopiesStore;
  readonly admission: Admission;
  /** The model and thresholds in use now. */
  readonly basis: Basis;
  readonly clock: Clock;
};

/** All stored data of a picture. */
export type PictureRecord = {
  readonly picture: Recognised;
  readonly uploaded: UploadedPicture | undefined;
  /** Undefined if the model has not judged it with the present settings. */
  readonly now: Outcome | undefined;
  readonly verdicts: readonly Judgement[];
  readonly rulings: readonly Ruling[];
  readonly copyKept: boolean;
};

/** For one picture; people do not change a decision more often. */
const maxRulings = 500;

/** Undefined if no upload and no ruling ever had this name. */
export async function recordOf(review: Review, name: string): Promise<PictureRecord | undefined> {
  const uploaded = await review.pictures.findUploaded(name);
  const [ruled] = uploaded === undefined ? await review.rulings.latest({ names: [name], limit: 1 }) : [];
  const picture = uploaded ?? ruled;
  if (picture === undefined) return undefined;
  const [verdicts, onIt, copy, { now }] = await Promise.all([
    review.verdicts.ofPictures([picture.contentHash]),
    review.rulings.latest({ names: namesOf(picture), limit: maxRulings }),
    review.copies.find(picture.contentHash),
    findStanding(review, picture),
  ]);
  const holds = now?.ruling;
  const rulings =
    holds === undefined || onIt.some(({ number }) => number === holds.number) ? onIt : [holds, ...onIt];
  return { picture, uploaded, now, verdicts, rulings, copyKept: copy !== undefined };
}

/**
 * The answer that a picture would get today that was allowed at its upload and is stored.
 * @param cleanHash of the cleaned picture
 * @returns undefined if no one and nothing has decided otherwise since; test pictures are not recorded
 */
export async function outcomeOfStored(
  review: Pick<Review, 'pictures' | 'verdicts' | 'cached' | 'basis'>,
  cleanHash: string,
): Promise<Outcome | undefined> {
  const uploaded = await review.pictures.findUploaded(cleanHash);
  return uploaded && (await findStanding(review, uploaded)).now;
}

export type Standing = { readonly now: Outcome | undefined; readonly current: Judgement | undefined };

/** The answer that the next upload would get. */
async function findStanding(
  review: Pick<Review, 'verdicts' | 'cached' | 'basis'>,
  picture: Recognised,
  verdicts?: readonly Judgement[],
): Promise<Standing> {
  const judged = verdicts ?? (await review.verdicts.ofPictures([picture.contentHash]));
  const current = judged.find(
    ({ contentHash, basis }) => contentHash === picture.contentHash && isSameBasis(basis, review.basis),
  );
  const decision: Decision | undefined = current?.decision;
  return { now: (await review.cached.on(picture)) ?? decision, current };
}

/** Uploaded pictures with their present outcome. */
export async function listPictures(
  review: Review,
  filter: PicturesFilter,
): Promise<readonly (UploadedPicture & Standing)[]> {
  const page = await review.pictures.list(filter);
  const verdicts = await review.verdicts.ofPictures(page.map(({ contentHash }) => contentHash));
  const listed: (UploadedPicture & Standing)[] = [];
  for (const { fingerprints, ...picture } of page)
    listed.push({ ...picture, ...(await findStanding(review, { ...picture, fingerprints }, verdicts)) });
  return listed;
}

export type RulingRefusal = 'unknown' | 'nothing-decided' | 'unreadable';

/** The platform team waits this long for a slot and for the picture to be opened. */
const openWithinMs = 10_000;

/**
 * @param of the name of a picture that was uploaded or decided about before, or its bytes: then it must be opened, and waits for its slot
 *   among the others
 */
export async function decideOn(
  review: Review,
  of: string | Uint8Array,
  ruling: { readonly action: RulingAction; readonly author: string; readonly reason: string },
): Promise<{ ok: true; ruling: Ruling & PictureNames } | { ok: false; reason: RulingRefusal }> {
  const found =
    typeof of === 'string'
      ? await known(review, of)
      : await review.admission.run(
          { bytes: of, organisation: 'staff' },
          AbortSignal.timeout(openWithinMs),
          (slot) => recognise(of, slot),
        );
  if (!found.ok) return found;
  const { contentHash, cleanHash, fingerprints } = found.picture;
  const [last] = await review.rulings.latest({ names: [contentHash, cleanHash], limit: 1 });
  if (ruling.action === 'withdraw' && (last === undefined || last.action === 'withdraw'))
    return { ok: false, reason: 'nothing-decided' };
  const picture = { contentHash, cleanHash, fingerprints };
  return { ok: true, ruling: await review.rulings.append({ ...picture, ...ruling, at: review.clock.now() }) };
}

async function known(
  review: Review,
  name: string,
): Promise<{ ok: true; picture: Recognised } | { ok: false; reason: 'unknown' }> {
  const picture =
    (await review.pictures.findUploaded(name)) ??
    (await review.rulings.latest({ names: [name], limit: 1 }))[0];
  return picture === undefined ? { ok: false, reason: 'unknown' } : { ok: true, picture };
}
