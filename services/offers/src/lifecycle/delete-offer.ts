/**
 * Deletes an offer. A paid or ended offer is deleted in one database transaction, those of a group in the same one where all are to go. An offer that awaits payment takes three steps, so that
 * a deleted offer cannot be paid:
 * 1. A transaction marks the offer (`deletingSince`), and with it all unpaid offers of its group, which have the same page.
 * 2. Billing closes the payment page.
 * 3. A second transaction removes the marks, and deletes these offers if billing has closed the page.
 * If billing does not answer, or the request's deadline has passed, nothing is deleted. Billing may have closed the page all the same, so
 * the sweeper tells it that the deletion failed. The sweeper also completes deletions whose request died (creation/recovery.ts).
 */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { isTooLate } from '@offer-ads/platform/postgres/postgres';
import type { OffersContext } from '../context.ts';
import {
  beginDeletionOf,
  type ClosePageOutcome,
  type DeletionFailure,
  endDeletion,
  pageKept,
} from '../domain/lifecycle/lifecycle.ts';
import type { Offer } from '../domain/offer.ts';
import { type OfferReference, paidTogether, updateTogether } from '../offers-store.ts';
import type { CallContext } from '../other-services.ts';
import { noteChange } from './changes-store.ts';
import { deleted } from './offer-events.ts';

/**
 * `just-paid` (answered as E6): the payment came first. `page-not-closed` (answered as E7): the page may be open. In both cases nothing is
 * deleted.
 */
export type DeleteRefusal = 'not-found' | DeletionFailure;
export type DeleteOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: DeleteRefusal };

export async function deleteOffer(
  o: OffersContext,
  call: CallContext & { readonly receivedAt: Date },
  reference: OfferReference,
  { isForAll = false }: { readonly isForAll?: boolean } = {},
): Promise<DeleteOutcome> {
  const { receivedAt } = call;
  const decideBegin = (offers: readonly Offer[], now: Date) => {
    const decided = beginDeletionOf(reference.offerId, offers, now, receivedAt, isForAll);
    if (!decided.ok) return decided;
    const { step, offers: begun } = decided;
    const changes = begun.map((offer) => change({ step, offer }, now, begun));
    return { ...decided, changes, at: now };
  };
  const begun = await updateTogether(
    o.postgres,
    paidTogether(reference),
    receivedAt,
    decideBegin,
    call.deadline,
    async (tx, { offers, at }) => {
      for (const { offerId } of offers)
        await noteChange(tx, offerId, { what: 'deleted', by: call.caller, at });
    },
  );
  if (!begun.ok) return begun;
  if (begun.step === 'deleted') return { ok: true };
  const [offer] = begun.offers;
  const page = await closePage(o, call, offer);
  // The deadline is only for the deletion itself. That nothing was deleted may also be stored after it.
  if (page !== 'closed') return storeDeletionEnd(o, offer, page, receivedAt);
  // It has begun, so it is finished also if the caller has left.
  const { deadline } = call;
  const inTime = { ...deadline, isOver: () => deadline.remainingMs() === 0 };
  try {
    return await storeDeletionEnd(o, offer, page, receivedAt, inTime);
  } catch (error) {
    if (!isTooLate(error)) throw error;
    return storeDeletionEnd(o, offer, 'unanswered', receivedAt);
  }
}

/**
 * Asks billing to close the payment page. Never rejects: an error counts as `unanswered`, because billing may have closed the page all the
 * same.
 */
export async function closePage(
  o: OffersContext,
  call: CallContext,
  offer: Offer,
): Promise<ClosePageOutcome> {
  const { offerId, deletions } = offer;
  try {
    return (await o.otherServices.closeCheckout(call, offer, deletions)).outcome;
  } catch (error) {
    o.logger.warn({ error, offerId }, 'the payment page could not be closed');
    return 'unanswered';
  }
}

/**
 * The last step: removes the mark, and deletes the offer or leaves it as it was before the deletion; the same with the offers that were
 * marked with it.
 * @param begun the offer after the first step of the deletion; its `deletions` is the number of this deletion
 * @param at the real time
 */
export async function storeDeletionEnd(
  o: OffersContext,
  begun: Offer,
  page: ClosePageOutcome,
  at: Date,
  deadline?: Deadline,
): Promise<DeleteOutcome> {
  const decideEnd = (together: readonly Offer[], now: Date) => {
    // The others of the group had ended before, and stay.
    const offers = together.filter(({ deletions }) => deletions >= begun.deletions);
    const ends = offers.map((offer) => endDeletion(offer, page, now, begun.deletions));
    const own = ends[offers.findIndex(({ offerId }) => offerId === begun.offerId)];
    if (own === undefined || !own.ok) return notFound;
    return { ...own, changes: ends.flatMap((end) => (end.ok ? [change(end, now)] : [])) };
  };
  const ended = await updateTogether(o.postgres, paidTogether(begun), at, decideEnd, deadline);
  if (!ended.ok) return ended;
  return ended.step === 'deleted' ? { ok: true } : { ok: false, reason: ended.why };
}

/**
 * Tells billing that the deletion failed. If billing had closed the page, the link's next visit opens a new one (decision 54, after a deletion
 * answered E7). The sweeper calls this until billing has confirmed it.
 */
export async function reportFailedDeletion(o: OffersContext, call: CallContext, offer: Offer): Promise<void> {
  const { offerId, failedDeletion } = offer;
  if (failedDeletion === null) throw new Error(`offer ${offerId} has no failed deletion`);
  await o.otherServices.keepCheckout(call, offer, failedDeletion);
  const confirm = (offers: readonly Offer[]) => {
    const changes = offers.map((found) => ({ offer: pageKept(found, failedDeletion), events: [] }));
    return { ok: true, changes } as const;
  };
  await updateTogether(o.postgres, paidTogether(offer), o.clock.now(), confirm);
}

const notFound = { ok: false, reason: 'not-found' } as const;

function change(
  { step, offer }: { readonly step: string; readonly offer: Offer },
  now: Date,
  together?: readonly Offer[],
) {
  return { offer, events: step === 'deleted' ? [deleted(offer, now, together)] : [] };
}
