/** An offer: what the advertiser said, what happened to it, and the status that follows from both and the clock. */
import type { MemberGender, Mode, OfferStatus, PaymentMethod } from '@offer-ads/contracts/values/primitives';

/** A closed period in which the offer was paused or disabled. */
export type Stop = { readonly from: Date; readonly to: Date };

/**
 * The facts from which every state follows (decision 1, state is computed). Nothing else about the state is ever
 * stored.
 */
export type Lifecycle = {
  readonly createdAt: Date;
  readonly startAt: Date;
  readonly expiryAt: Date;
  /** When billing took the money. Known before it is applied while the offer is still a hidden reservation. */
  readonly paidAt: Date | null;
  /** When the offer learnt of its payment; from then on it may run. */
  readonly paymentAppliedAt: Date | null;
  readonly pausedSince: Date | null;
  readonly disabledSince: Date | null;
  /** Disjoint and in order. */
  readonly stops: readonly Stop[];
  readonly deletedAt: Date | null;
};

/** What the advertiser said, as it is shown to members and listed. */
export type OfferContent = {
  readonly categoryId: number;
  readonly title: string;
  readonly description: string;
  /** Empty when omitted. */
  readonly termsAndConditions: string;
  /** Null: the organisation's trading name is shown. */
  readonly advertisedName: string | null;
  readonly url: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusMiles: number;
  /** Empty: every gender. */
  readonly gender: readonly MemberGender[];
  /** Empty: no interest targeting. */
  readonly interests: readonly number[];
};

export type Offer = Lifecycle &
  OfferContent & {
    readonly offerId: number;
    readonly organisationId: number;
    readonly mode: Mode;
    readonly createdBy: number | null;
    readonly tradingName: string;
    readonly country: string;
    readonly currency: string;
    /** Name of the cleaned picture in the image store. */
    readonly image: string;
    readonly paymentMethod: PaymentMethod;
    readonly netMinor: bigint;
    readonly vatMinor: bigint;
    readonly paymentUrl: string | null;
    /** Null while the offer is a reservation of an unfinished creation. */
    readonly shownAt: Date | null;
    /** Since when a deletion has been closing the payment page. */
    readonly deletingSince: Date | null;
    /** How many deletions have asked for the page to be closed: the number of the latest. */
    readonly deletions: number;
    /** The latest of them whose caller was told, without a word from billing, that nothing was deleted. */
    readonly keptDeletion: number | null;
    /** Since when billing is to hear that the page stays. */
    readonly keepingSince: Date | null;
    /** When OfferActivated and OfferEnded were written; each is written once. */
    readonly activatedToldAt: Date | null;
    readonly endedToldAt: Date | null;
    /** Version of the last event about this offer. */
    readonly version: number;
  };

/** The statuses of the specification and the end that no listing shows. */
export type OfferState = OfferStatus | 'Deleted';

export function stateAt(offer: Lifecycle, now: Date): OfferState {
  return offer.deletedAt === null ? statusAt(offer, now) : 'Deleted';
}

/**
 * "States and transitions" with decisions 2, pausing before the start, 3, where resume leads, and 4, expiry wins:
 * what has reached its expiry is Ended, paid or not, paused or not.
 */
export function statusAt(offer: Lifecycle, now: Date): OfferStatus {
  if (now >= offer.expiryAt) return 'Ended';
  if (offer.paymentAppliedAt === null) return 'Awaiting Payment';
  if (offer.pausedSince !== null) return 'Paused';
  return now < offer.startAt ? 'Scheduled' : 'Active';
}

/** Members see an offer while it is Active and no admin of the platform has disabled it. */
export function isLive(offer: Lifecycle, now: Date): boolean {
  return stateAt(offer, now) === 'Active' && offer.disabledSince === null;
}
