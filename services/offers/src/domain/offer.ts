/** An offer: its content, what happened to it, and the status that follows from both and the clock. */

import type { MemberGender } from '@offer-ads/contracts/values/member-gender';
import { byFact, type OfferTexts } from '@offer-ads/contracts/values/offer-texts';
import type { Mode, OfferStatus, PaymentMethod } from '@offer-ads/contracts/values/primitives';

/** A closed period in which the offer was paused or disabled. */
export type Stop = { readonly from: Date; readonly to: Date };

/** The facts from which the status is computed (decision 1, state is computed). No status is stored. */
export type Lifecycle = {
  readonly createdAt: Date;
  readonly startAt: Date;
  readonly expiryAt: Date;
  /** When billing took the money. If the offer is still a hidden reservation, this is known before the payment is applied. */
  readonly paidAt: Date | null;
  /** When the payment was applied to the offer; from then on it may run. */
  readonly paymentAppliedAt: Date | null;
  readonly pausedSince: Date | null;
  readonly disabledSince: Date | null;
  /** Sorted and without overlaps. */
  readonly stops: readonly Stop[];
  readonly deletedAt: Date | null;
  /** When OfferEnded was written, once. */
  readonly endAnnouncedAt: Date | null;
};

/** The advertiser's content, as shown to members and listed. */
export type OfferContent = OfferTexts & {
  readonly categoryId: number;
  readonly url: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusMiles: number;
  /** Empty if all genders are targeted. */
  readonly gender: readonly MemberGender[];
  /** Empty if no interests are targeted. */
  readonly interests: readonly number[];
};

export type Offer = Lifecycle &
  OfferContent & {
    readonly offerId: number;
    /** The group with which it was created; null: it was created by itself. */
    readonly groupId: number | null;
    /** The advertiser's name for its place in the group. */
    readonly placeLabel: string | null;
    readonly organisationId: number;
    readonly mode: Mode;
    readonly createdBy: number | null;
    readonly tradingName: string;
    readonly country: string;
    readonly currency: string;
    /** The name of the cleaned picture in the image store. */
    readonly image: string;
    readonly paymentMethod: PaymentMethod;
    readonly netMinor: bigint;
    /** How many members matched when it was created, as its price counts them. */
    readonly matchingUsers: number;
    readonly vatMinor: bigint;
    readonly paymentUrl: string | null;
    /** Why the platform's staff disabled it, in words that the advertiser reads; null while it is enabled. */
    readonly disabledReason: string | null;
    /** Null while the offer is a reservation of an unfinished creation. */
    readonly shownAt: Date | null;
    /** Since when a running deletion has been closing the payment page; null if there is none. */
    readonly deletingSince: Date | null;
    /** The number of the latest deletion that asked for the page to be closed. */
    readonly deletions: number;
    /** The latest deletion that failed: its caller was told that nothing was deleted, though billing gave no answer. */
    readonly failedDeletion: number | null;
    /** Since when billing must be told that the page stays open; null if it need not be. */
    readonly keepingSince: Date | null;
    /** When OfferActivated was written, once. */
    readonly activationAnnouncedAt: Date | null;
    /** When OfferEndsSoon was written, once, or found to be unneeded. */
    readonly endSoonAnnouncedAt: Date | null;
    /** 1 at the creation, and one more with each edit. */
    readonly contentVersion: number;
    /** The latest edit, by the real time; null: it was never edited. */
    readonly contentChangedAt: Date | null;
    /** Since when the content waits for a look of the platform's staff, by the real time; null: it does not. */
    readonly reviewWaitingSince: Date | null;
    /** The version of the offer's last event. */
    readonly version: number;
  };

/** Its texts as members read them. */
export function shownTexts(offer: Offer): { readonly [Text in keyof OfferTexts]: string } {
  return byFact((text) => offer[text] ?? offer.tradingName);
}

/** What some offers of a group are called together. */
export function groupTitle(offers: readonly Offer[]): string {
  const [first, ...others] = offers;
  const title = first?.title ?? '';
  return others.some((offer) => offer.title !== title)
    ? `${title} and ${others.length} more`
    : `${title} (${offers.length} ${offers.length === 1 ? 'place' : 'places'})`;
}

/** For statements, credits and mails: the offers of a group share their title. */
export function titleWithPlace({ title, placeLabel }: Offer): string {
  return placeLabel === null ? title : `${title} (${placeLabel})`;
}

/** The statuses of the specification, and Deleted, which no listing shows. */
export type OfferState = OfferStatus | 'Deleted';

export function stateAt(offer: Lifecycle, now: Date): OfferState {
  return offer.deletedAt === null ? statusAt(offer, now) : 'Deleted';
}

/**
 * "States and transitions" with decisions 2, pausing before the start, 3, where resume leads, and 4, expiry wins: an offer past its expiry
 * is Ended, whether it was paid or paused or not.
 */
export function statusAt(offer: Lifecycle, now: Date): OfferStatus {
  if (timeOf(offer, now) >= offer.expiryAt) return 'Ended';
  if (offer.paymentAppliedAt === null) return 'Awaiting Payment';
  if (offer.pausedSince !== null) return 'Paused';
  return now < offer.startAt ? 'Scheduled' : 'Active';
}

/**
 * The time at which a command takes effect. Its `now` was set when the request arrived, and clocks of replicas differ. But once the end was
 * published, and Unused Time reported with it, every later command counts as after the end.
 */
export function timeOf({ endAnnouncedAt }: Pick<Lifecycle, 'endAnnouncedAt'>, now: Date): Date {
  return endAnnouncedAt !== null && now < endAnnouncedAt ? endAnnouncedAt : now;
}

/** Members see an offer while it is Active and not disabled by an admin of the platform. */
export function isLive(offer: Lifecycle, now: Date): boolean {
  return stateAt(offer, now) === 'Active' && offer.disabledSince === null;
}

/** When a live offer became live; null while it is not. The latest of its start, its payment, and the end of its last stop. */
export function activatedAt(offer: Lifecycle, now: Date): Date | null {
  if (!isLive(offer, now) || offer.paymentAppliedAt === null) return null;
  const instants = [offer.startAt, offer.paymentAppliedAt, offer.stops.at(-1)?.to ?? offer.startAt];
  return new Date(Math.max(...instants.map(Number)));
}
