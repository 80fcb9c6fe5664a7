/**
 * The verdict on one upload: is there a ruling, is the verdict known, can it be opened, is it safe? A picture that cannot be opened is
 * `unreadable`. Every other failure gives no verdict, so no picture is allowed by mistake.
 */
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Clock } from '@offer-ads/platform/process/clock';
import { type Decision, decide } from '../domain/decision.ts';
import type { Outcome } from '../domain/ruling.ts';
import { testVerdictOn } from '../domain/test-pictures.ts';
import type { Model } from '../model/model.ts';
import { factsCleanedAgain, factsOf, sha256 } from '../model/recognise.ts';
import { type CleanPicture, Unopenable } from '../pictures/clean-picture.ts';
import type { CopiesStore } from '../pictures/copies-store.ts';
import type { PictureFacts, PicturesStore } from '../pictures/pictures-store.ts';
import type { HeldRulings } from './held-rulings.ts';
import { inTurn, type Places, type Steps } from './in-turn.ts';
import { createSingleFlight } from './single-flight.ts';
import { allowed, refused, unreadable } from './verdict-replies.ts';
import type { Basis, VerdictsStore } from './verdicts-store.ts';

export type Moderation = Places & {
  readonly model: Model;
  readonly basis: Basis;
  readonly verdicts: VerdictsStore;
  readonly pictures: PicturesStore;
  readonly rulings: HeldRulings;
  readonly copies: CopiesStore;
  readonly clock: Clock;
};

export type Upload = { readonly bytes: Uint8Array; readonly mode: Mode; readonly organisationId: number };

/** How long a copy of a refused picture is kept after its last upload. */
const copyKeptMs = 30 * 24 * 3_600_000;

export function createJudge(
  moderation: Moderation,
): (upload: Upload, signal: AbortSignal) => Promise<VerdictReply> {
  const judgedOnce = createSingleFlight<Decision>();
  return (upload, signal) =>
    inTurn(moderation, upload, signal, async (steps) => {
      try {
        return await judge(moderation, judgedOnce, upload, steps);
      } catch (error) {
        if (error instanceof Unopenable) return unreadable(error.problem);
        throw error;
      }
    });
}

async function judge(
  moderation: Moderation,
  judgedOnce: ReturnType<typeof createSingleFlight<Decision>>,
  upload: Upload,
  steps: Steps,
): Promise<VerdictReply> {
  const { pictures, rulings, verdicts, basis } = moderation;
  const { decoder } = steps;
  const contentHash = sha256(upload.bytes);
  const testVerdict = testVerdictOn(contentHash, upload.mode);
  if (testVerdict === 'refused') return refused('test');

  const known = testVerdict === undefined ? await pictures.find(contentHash) : undefined;
  if (known !== undefined) {
    const outcome = (await rulings.on(known)) ?? (await verdicts.find(contentHash, basis));
    if (outcome?.verdict === 'refused' && (await keepCopy(moderation, contentHash, outcome)))
      return record(moderation, steps, upload, known, outcome);
  }

  const clean = await decoder.cleanPicture(upload.bytes);
  if (!clean.ok) return unreadable(clean.problem);
  if (testVerdict === 'allowed') return allowed(clean.picture);

  let made: Promise<readonly Uint8Array[]> | undefined;
  // Made at most once: for the fingerprints, for the model, or for both.
  const looks = async () => clean.looks ?? (await (made ??= decoder.looksAt(clean.picture)));
  const { lookShape } = moderation.model;
  const modelsLooks = lookShape === undefined ? looks : () => decoder.looksAt(clean.picture, lookShape);
  const facts =
    known === undefined
      ? factsOf(contentHash, clean.picture, await looks())
      : factsCleanedAgain(known, clean.picture);
  const outcome =
    (await rulings.on(facts)) ??
    (await judgedOnce(contentHash, () => askModel(moderation, contentHash, modelsLooks, steps)));
  // Read again, because a person may have decided while the model was running.
  const last = outcome.verdict === 'allowed' ? ((await rulings.on(facts)) ?? outcome) : outcome;
  return record(moderation, steps, upload, facts, last, clean.picture);
}

async function askModel(
  { model, verdicts, basis, clock }: Moderation,
  contentHash: string,
  looks: () => Promise<readonly Uint8Array[]>,
  { signal, countProcessorTime }: Steps,
): Promise<Decision> {
  const kept = await verdicts.find(contentHash, basis);
  if (kept !== undefined) return kept;
  const scores = await model.score(await looks(), signal, countProcessorTime);
  const decision = decide(scores, basis.thresholds);
  await verdicts.keep({ contentHash, basis, decision, looks: scores, judgedAt: clock.now() });
  return decision;
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
  { decoder }: Steps,
  { mode, organisationId }: Upload,
  facts: PictureFacts,
  outcome: Outcome,
  clean?: CleanPicture,
): Promise<VerdictReply> {
  const { verdict } = outcome;
  const reason = outcome.verdict === 'refused' ? outcome.reason : null;
  if (clean !== undefined && reason !== null && reason !== 'blocked')
    await o.copies.keep(facts.contentHash, await decoder.smallCopyOf(clean), copyEnds(o));
  await o.pictures.recordUpload(facts, { at: o.clock.now(), organisationId, mode, verdict, reason });
  if (reason !== null) return refused(reason);
  if (clean === undefined) throw new Error('the reply for an allowed picture contains its cleaned bytes');
  return allowed(clean);
}
