/** A verdict on one upload, on one page: known before? readable? safe? Whatever fails on the way is a 503: fail closed. */
import { createHash } from 'node:crypto';
import type { VerdictReply } from '@offer-ads/contracts/moderation-api';
import type { Clock } from '@offer-ads/platform/clock';
import type { Admission } from './admission.ts';
import { type Decision, decide, type Thresholds } from './domain/decision.ts';
import type { PictureType } from './domain/picture-type.ts';
import type { Model } from './model.ts';
import { type CleanPicture, cleanPicture, looksAt, type Problem } from './pictures.ts';
import type { VerdictsStore } from './verdicts-store.ts';

export type Moderation = {
  readonly admission: Admission;
  readonly model: Model;
  readonly store: VerdictsStore;
  readonly thresholds: Thresholds;
  readonly clock: Clock;
};

/** Decision 23: an advertiser waits this long for moderation. */
const budgetMs = 10_000;

const contentTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
} as const satisfies Record<PictureType, string>;

/** Sentences, because offers quotes them to the advertiser. */
const problems: Record<Problem, string> = {
  'not-a-picture': 'image must be a JPG, PNG or GIF',
  damaged: 'image is damaged or incomplete',
  'too-many-pixels': 'image must have at most 50 megapixels over all frames',
  'too-many-frames': 'image must have at most 2,000 frames',
};

const reasons = {
  explicit: 'the picture looks explicit',
  suggestive: 'the picture looks too suggestive',
} as const;

export function judgePicture(
  moderation: Moderation,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<VerdictReply> {
  return moderation.admission.run(signal, () => judge(moderation, bytes, signal));
}

async function judge(moderation: Moderation, bytes: Uint8Array, signal: AbortSignal): Promise<VerdictReply> {
  const { model, store, thresholds, clock } = moderation;
  const contentHash = createHash('sha256').update(bytes).digest('hex');
  const basis = { model: model.identity, thresholds };
  const kept = await store.find(contentHash, basis);
  if (kept?.verdict === 'refused') return refused(contentHash, kept.reason);

  const clean = await cleanPicture(bytes, budgetMs);
  if (!clean.ok) return { verdict: 'unreadable', problem: problems[clean.problem] };
  if (kept !== undefined) return allowed(contentHash, clean.picture);

  const looks = await model.score(await looksAt(clean.picture), signal);
  const decision: Decision = decide(looks, thresholds);
  await store.keep({ contentHash, basis, decision, looks, judgedAt: clock.now() });
  return decision.verdict === 'refused'
    ? refused(contentHash, decision.reason)
    : allowed(contentHash, clean.picture);
}

function allowed(contentHash: string, picture: CleanPicture): VerdictReply {
  const imageBase64 = picture.bytes.toString('base64');
  return { verdict: 'allowed', contentHash, contentType: contentTypes[picture.type], imageBase64 };
}

function refused(contentHash: string, reason: keyof typeof reasons): VerdictReply {
  return { verdict: 'refused', contentHash, reason: reasons[reason] };
}
