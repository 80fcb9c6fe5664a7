/** Pause and resume by the advertiser; disable, enable and review by the platform's staff. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import { askForReview, type ReviewRefusal, review } from '../domain/lifecycle/edit-content.ts';
import { type Decision, disable, enable, pause, resume } from '../domain/lifecycle/lifecycle.ts';
import type { Offer } from '../domain/offer.ts';
import { type Change, findOfferForAdmin, type OfferReference, updateOffer } from '../offers-store.ts';
import { type Author, noteChange } from './changes-store.ts';
import { disabled, enabled, type OfferEvent, paused, resumed } from './offer-events.ts';

/** The time of the request, the deadline after which nothing is changed, and who changes it. */
export type Command = { readonly receivedAt: Date; readonly deadline: Deadline; readonly caller: Author };
type StaffCommand = Omit<Command, 'caller'>;

export const pauseOffer = changeBy('paused', pause, paused);
export const resumeOffer = changeBy('resumed', resume, resumed);
export const enableOffer = byAdmin(changeBy('enabled', enable, enabled));

/** @param reason what the advertiser is told */
export function disableOffer(o: OffersContext, offerId: number, reason: string, command: StaffCommand) {
  const change = changeBy('disabled', (offer: Offer, now: Date) => disable(offer, now, reason), disabled);
  return byAdmin(change)(o, offerId, command);
}

/** The advertiser asks the platform's staff to look again at an offer that they have disabled. No event tells of it. */
export const requestReview = changeBy('review_requested', (offer: Offer, now: Date, receivedAt: Date) => {
  const asked = askForReview(offer, now, receivedAt);
  return asked.ok ? { ...asked, at: now } : asked;
});

/**
 * The platform's staff have looked at what members see of the offer. No one is told.
 * @param contentVersion of the content that they looked at
 */
export function reviewOffer(
  o: OffersContext,
  offerId: number,
  contentVersion: number,
  command: StaffCommand,
) {
  return byAdmin((_, reference, { receivedAt, deadline }) => {
    const change = (offer: Offer): Change<ReviewRefusal> => {
      const reviewed = review(offer, contentVersion);
      return reviewed.ok ? { ...reviewed, events: [] } : reviewed;
    };
    return updateOffer(o.postgres, reference, receivedAt, change, deadline);
  })(o, offerId, command);
}

/** One transaction: decides about the locked offer, and writes the offer with its event and who changed it. */
function changeBy<Refusal extends string>(
  what: Parameters<typeof noteChange>[2]['what'],
  decide: (offer: Offer, now: Date, receivedAt: Date) => Decision<Refusal>,
  eventOf?: (offer: Offer, at: Date) => OfferEvent,
) {
  return async (o: OffersContext, reference: OfferReference, { receivedAt, deadline, caller }: Command) => {
    const change = (offer: Offer, now: Date) => {
      const decided = decide(offer, now, receivedAt);
      if (!decided.ok) return decided;
      return { ...decided, events: eventOf === undefined ? [] : [eventOf(decided.offer, decided.at)] };
    };
    return updateOffer(o.postgres, reference, receivedAt, change, deadline, (tx, { offer, at }) =>
      noteChange(tx, offer.offerId, { what, by: caller, at }),
    );
  };
}

/** Admins give only the offer's id, without organisation and mode. */
function byAdmin<C>(change: (o: OffersContext, reference: OfferReference, command: Command) => Promise<C>) {
  return async (o: OffersContext, offerId: number, command: StaffCommand) => {
    const reference = await findOfferForAdmin(o.postgres, offerId);
    return reference === null ? notFound : change(o, reference, { ...command, caller: 'staff' });
  };
}

const notFound = { ok: false, reason: 'not-found' } as const;
