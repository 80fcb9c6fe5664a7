/** Editing what members see of an offer, and the look of the platform's staff at it. */
import { offerTextFacts } from '@offer-ads/contracts/values/offer-texts';
import { type Offer, stateAt } from '../offer.ts';

/** What an edit may change. The price depends on none of it (decision 239, editing an offer). */
export const editableFacts = [
  'categoryId',
  ...offerTextFacts,
  'url',
  'image',
] as const satisfies readonly (keyof Offer)[];
export type EditableFact = (typeof editableFacts)[number];
/** The new values. What is left out stays. */
export type Edit = Partial<Pick<Offer, EditableFact>>;

export type EditRefusal = 'not-found' | 'ended';
export type Edited =
  | {
      readonly ok: true;
      readonly offer: Offer;
      /** Empty: the offer had these values already, so nothing happened. */
      readonly changed: readonly EditableFact[];
    }
  | { readonly ok: false; readonly reason: EditRefusal };

/**
 * Allowed until the end, also while the offer is paused, or disabled by the platform's staff: it stays so. What members may see after the
 * edit waits for a look of the staff.
 * @param editedAt the real time, by which the staff work; it may differ from the offer's time
 */
export function edit(offer: Offer, edit: Edit, now: Date, editedAt: Date = now): Edited {
  switch (stateAt(offer, now)) {
    case 'Deleted':
      return { ok: false, reason: 'not-found' };
    case 'Ended':
      return { ok: false, reason: 'ended' };
    case 'Awaiting Payment':
    case 'Scheduled':
    case 'Active':
    case 'Paused': {
      const changed = editableFacts.filter((fact) => edit[fact] !== undefined && edit[fact] !== offer[fact]);
      if (changed.length === 0) return { ok: true, offer, changed };
      const edited = {
        ...offer,
        ...Object.fromEntries(changed.map((fact) => [fact, edit[fact]])),
        contentVersion: offer.contentVersion + 1,
        contentChangedAt: editedAt,
      };
      // Nobody sees an unpaid offer. Its payment makes it wait.
      const isPaid = offer.paymentAppliedAt !== null;
      return { ok: true, offer: isPaid ? awaitReview(edited, editedAt) : edited, changed };
    }
  }
}

type EditOfOne = Extract<Edited, { readonly ok: true }> & { readonly before: Offer };

/** All that are neither deleted nor over. */
export function editAll(
  offers: readonly Offer[],
  change: Edit,
  now: Date,
  editedAt: Date,
):
  | { readonly ok: true; readonly edits: readonly EditOfOne[] }
  | { readonly ok: false; readonly reason: EditRefusal } {
  const edits: EditOfOne[] = [];
  let reason: EditRefusal = 'not-found';
  for (const before of offers) {
    const edited = edit(before, change, now, editedAt);
    if (edited.ok) edits.push({ ...edited, before });
    else if (edited.reason === 'ended') reason = edited.reason;
  }
  return edits.length === 0 ? { ok: false, reason } : { ok: true, edits };
}

/** A change of content that waits already does not lose its place. */
export function awaitReview(offer: Offer, since: Date): Offer {
  return { ...offer, reviewWaitingSince: offer.reviewWaitingSince ?? since };
}

export type AskForReviewRefusal = 'not-found' | 'ended' | 'not-disabled';

/** The advertiser of a disabled offer asks the staff to look at it again. */
export function askForReview(
  offer: Offer,
  now: Date,
  askedAt: Date,
):
  | { readonly ok: true; readonly offer: Offer }
  | { readonly ok: false; readonly reason: AskForReviewRefusal } {
  const state = stateAt(offer, now);
  if (state === 'Deleted') return { ok: false, reason: 'not-found' };
  if (state === 'Ended') return { ok: false, reason: 'ended' };
  return offer.disabledSince === null
    ? { ok: false, reason: 'not-disabled' }
    : { ok: true, offer: awaitReview(offer, askedAt) };
}

export type ReviewRefusal = 'not-found' | 'changed-since';
export type Reviewed =
  | { readonly ok: true; readonly offer: Offer }
  | { readonly ok: false; readonly reason: ReviewRefusal };

/** @param contentVersion of the content that was looked at: the advertiser may have changed it since */
export function review(offer: Offer, contentVersion: number): Reviewed {
  if (offer.deletedAt !== null) return { ok: false, reason: 'not-found' };
  if (offer.contentVersion !== contentVersion) return { ok: false, reason: 'changed-since' };
  return { ok: true, offer: { ...offer, reviewWaitingSince: null } };
}
