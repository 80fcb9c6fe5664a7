/**
 * The verdict on one upload: is there a ruling, is the verdict known, can it be opened, is it safe? A picture that cannot be opened is
 * `unreadable`. Every other failure gives no verdict, so no picture is allowed by mistake.
 */
import { createHash } from 'node:crypto';
import type { StoredVerdictReply, VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import type { PictureType } from '@offer-ads/contracts/pictures/picture-header';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Clock } from '@offer-ads/platform/process/clock';
import {
  type Decision,
  decide,
  type Outcome,
  type RefusalReason,
  testVerdictOn,
} from '../domain/decision.ts';
import { fingerprintsOf } from '../domain/fingerprint.ts';
import { type Problem, Unopenable } from '../domain/picture-limits.ts';
import type { Model } from '../model/nsfwjs-model.ts';
import type { CleanPicture } from '../pictures/pictures.ts';
import type { CopiesStore, PictureFacts, PicturesStore } from '../pictures/pictures-store.ts';
import type { Admission, Slot } from './admission.ts';
import type { CachedRulings } from './rulings-store.ts';
import type { Basis, VerdictsStore } from './verdicts-store.ts';

export type Moderation = {
  readonly admission: Admission;
  readonly model: Model;
  readonly basis: Basis;
  readonly verdicts: VerdictsStore;
  readonly pictures: PicturesStore;
  readonly rulings: CachedRulings;
  readonly copies: CopiesStore;
  readonly clock: Clock;
};

export type Upload = { readonly bytes: Uint8Array; readonly mode: Mode; readonly organisationId: number };

/** How long a copy of a refused picture is kept after its last upload. */
const copyKeptMs = 30 * 24 * 3_600_000;

export function judgePicture(
  moderation: Moderation,
  upload: Upload,
  signal: AbortSignal,
): Promise<VerdictReply> {
  const candidate = { bytes: upload.bytes, organisation: upload.organisationId };
  return moderation.admission.run(candidate, signal, async (slot) => {
    try {
      return await judge(moderation, upload, slot);
    } catch (error) {
      if (error instanceof Unopenable) return unreadable(error.problem);
      throw error;
    }
  });
}

async function judge(moderation: Moderation, upload: Upload, slot: Slot): Promise<VerdictReply> {
  const { pictures, rulings, verdicts, basis } = moderation;
  const { decoder, signal } = slot;
  const contentHash = sha256(upload.bytes);
  const testVerdict = testVerdictOn(contentHash, upload.mode);
  if (testVerdict === 'refused') return refused('test');

  const known = testVerdict === undefined ? await pictures.find(contentHash) : undefined;
  if (known !== undefined) {
    const outcome = (await rulings.on(known)) ?? (await verdicts.find(contentHash, basis));
    if (outcome?.verdict === 'refused' && (await keepCopy(moderation, contentHash, outcome)))
      return record(moderation, slot, upload, known, outcome);
  }

  const { picture, looks: made } = await decoder.run('clean', [upload.bytes], signal);
  if (testVerdict === 'allowed') return allowed(picture);

  // Made at most once: for the fingerprints, for the model, or for both.
  let looks = known === undefined ? (made ?? (await decoder.run('looks', [], signal))) : made;
  const facts =
    known === undefined ? factsOf(contentHash, picture, looks ?? []) : factsCleanedAgain(known, picture);
  let outcome: Outcome | undefined = (await rulings.on(facts)) ?? (await verdicts.find(contentHash, basis));
  if (outcome === undefined) {
    looks ??= await decoder.run('looks', [], signal);
    outcome = await askModel(moderation, contentHash, looks, slot);
  }
  // Read again, because a person may have decided while the model was running.
  const last = outcome.verdict === 'allowed' ? ((await rulings.on(facts)) ?? outcome) : outcome;
  return record(moderation, slot, upload, facts, last, picture);
}

async function askModel(
  { model, verdicts, basis, clock }: Moderation,
  contentHash: string,
  looks: readonly Uint8Array[],
  { signal, countProcessorTime }: Slot,
): Promise<Decision> {
  const scores = await model.score(looks, signal, countProcessorTime);
  const decision = decide(scores, basis.thresholds);
  return verdicts.keep({ contentHash, basis, decision, looks: scores, judgedAt: clock.now() });
}

/**
 * Keeps the copy of a refused picture for longer, so that people can review it. Not needed for a picture that a person has blocked.
 * @returns false if a copy is needed and there is none: the picture must then be opened again
 */
async function keepCopy(o: Moderation, contentHash: string, outcome: Outcome): Promise<boolean> {
  if (outcome.verdict === 'refused' && outcome.reason === 'blocked') return true;
  return o.copies.keepLonger(contentHash, copyEnds(o));
}

function copyEnds({ clock }: Moderation): Date {
  return new Date(clock.now().getTime() + copyKeptMs);
}

/**
 * Stores the upload with its verdict, and a copy of a refused picture for review. @returns the reply to offers
 * @param clean undefined if the picture is refused and needs no new copy
 */
async function record(
  o: Moderation,
  { decoder, signal }: Slot,
  { mode, organisationId }: Upload,
  facts: PictureFacts,
  outcome: Outcome,
  clean?: CleanPicture,
): Promise<VerdictReply> {
  const { verdict } = outcome;
  const reason = outcome.verdict === 'refused' ? outcome.reason : null;
  if (clean !== undefined && reason !== null && reason !== 'blocked')
    await o.copies.keep(facts.contentHash, await decoder.run('smallCopy', [], signal), copyEnds(o));
  await o.pictures.recordUpload(facts, { at: o.clock.now(), organisationId, mode, verdict, reason });
  if (reason !== null) return refused(reason);
  if (clean === undefined) throw new Error('the reply for an allowed picture contains its cleaned bytes');
  return allowed(clean);
}

// What recognises a picture: names for itself, fingerprints for its copies.

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function factsOf(
  contentHash: string,
  { type, frames, bytes }: CleanPicture,
  looks: readonly Uint8Array[],
): PictureFacts {
  return {
    contentHash,
    cleanHash: sha256(bytes),
    type,
    frames,
    fingerprints: looks.flatMap((look) => fingerprintsOf(look)),
  };
}

/** A picture that is known, as it was cleaned now: another version of the encoder may have written other bytes than before. */
function factsCleanedAgain(known: PictureFacts, { frames, bytes }: CleanPicture): PictureFacts {
  const cleanHash = sha256(bytes);
  if (cleanHash === known.cleanHash) return known;
  const earlierCleanHashes = [...(known.earlierCleanHashes ?? []), known.cleanHash];
  return { ...known, cleanHash, earlierCleanHashes, frames };
}

/** For a picture that a person uploads for a decision; the model is not asked. Rejects with a 422 if opening it took too long. */
export async function recognise(
  bytes: Uint8Array,
  { decoder, signal }: Pick<Slot, 'decoder' | 'signal'>,
): Promise<{ ok: true; picture: PictureFacts } | { ok: false; reason: 'unreadable' }> {
  try {
    const { picture, looks } = await decoder.run('clean', [bytes], signal);
    return {
      ok: true,
      picture: factsOf(sha256(bytes), picture, looks ?? (await decoder.run('looks', [], signal))),
    };
  } catch (error) {
    if (error instanceof Unopenable) return { ok: false, reason: 'unreadable' };
    throw error;
  }
}

// The replies: the picture that members will see, or why there is none.

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
