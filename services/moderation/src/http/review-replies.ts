/** Pictures, verdicts and rulings as the platform team sees them. */
import type { PictureReply, PicturesReply, RulingReply } from '@offer-ads/contracts/internal/moderation-api';
import { type Outcome, type Ruling, worst } from '../domain/decision.ts';
import { isDistinctive } from '../domain/fingerprint.ts';
import type { Upload, UploadedPicture } from '../pictures/pictures-store.ts';
import type { PictureRecord, RulingRefusal, Standing } from '../verdicts/review.ts';
import { type Basis, isSameBasis, type Judgement } from '../verdicts/verdicts-store.ts';

export const refusals = {
  unknown: { status: 404, message: 'No such picture was uploaded or decided about; a file of it would do' },
  'nothing-decided': { status: 409, message: 'Nobody has decided about this picture: the model does' },
  unreadable: { status: 400, message: 'This is no JPG, PNG or GIF that an advertiser could upload' },
  'no-copy': {
    status: 404,
    message: 'No copy is kept of this picture: it was not refused, or that is more than 30 days ago',
  },
  'unknown-cursor': { status: 400, message: 'cursor: must be the nextCursor of the page before' },
} as const satisfies Record<
  RulingRefusal | 'no-copy' | 'unknown-cursor',
  { readonly status: number; readonly message: string }
>;

export function listed({
  contentHash,
  cleanHash,
  last,
  uploads,
  now,
  current,
}: UploadedPicture & Standing): PicturesReply['pictures'][number] {
  return {
    ...uploadShown(last),
    contentHash,
    cleanHash,
    now: now?.verdict ?? null,
    explicit: current === undefined ? null : worst(current.looks, 'explicit'),
    suggestive: current === undefined ? null : worst(current.looks, 'suggestive'),
    uploads,
  };
}

export function shown(
  { picture, uploaded, now, verdicts, rulings, copyKept }: PictureRecord,
  basis: Basis,
): PictureReply {
  return {
    contentHash: picture.contentHash,
    cleanHash: picture.cleanHash,
    earlierCleanHashes: [...(picture.earlierCleanHashes ?? [])],
    now: {
      verdict: now?.verdict ?? null,
      reason: now === undefined ? null : reasonOf(now),
      ruling: now?.ruling === undefined ? null : rulingShown(now.ruling),
    },
    copiesRecognised: picture.fingerprints.some(isDistinctive),
    uploaded: uploaded === undefined ? null : uploadedShown(uploaded),
    verdicts: verdicts.map((judgement) => verdictShown(judgement, basis)),
    rulings: rulings.map(rulingShown),
    copyKept,
  };
}

export function rulingShown({ number, at, author, action, reason, contentHash }: Ruling): RulingReply {
  return { number, at: at.toISOString(), author, action, reason, contentHash };
}

function uploadedShown({ type, frames, uploads, firstAt, last }: UploadedPicture) {
  return { type, frames, uploads, firstAt: firstAt.toISOString(), last: uploadShown(last) };
}

function uploadShown({ at, organisationId, mode, verdict, reason }: Upload) {
  return { at: at.toISOString(), organisationId, mode, verdict, reason };
}

function verdictShown({ judgedAt, basis, decision, looks }: Judgement, current: Basis) {
  return {
    judgedAt: judgedAt.toISOString(),
    ...basis,
    current: isSameBasis(basis, current),
    verdict: decision.verdict,
    reason: reasonOf(decision),
    looks: [...looks],
  };
}

function reasonOf(outcome: Outcome): string | null {
  return outcome.verdict === 'refused' ? outcome.reason : null;
}
