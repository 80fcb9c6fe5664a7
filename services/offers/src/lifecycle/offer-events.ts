/** The events of one offer, built from the offer's state at the end of the transaction. */

import type { OfferState } from '@offer-ads/contracts/community/running-offers-api';
import type { EventData, EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import {
  OfferActivated,
  OfferCreated,
  OfferDeleted,
  OfferDisabled,
  OfferEnabled,
  OfferEnded,
  OfferEndsSoon,
  OfferPaused,
  OfferPaymentApplied,
  OfferResumed,
  OfferUpdated,
  PaymentLinkIssued,
} from '@offer-ads/contracts/events/offers';
import { sum } from '@offer-ads/contracts/values/sum';
import { contentFields } from '../domain/creation/offer-form.ts';
import type { EditableFact } from '../domain/lifecycle/edit-content.ts';
import type { PaymentOutcome } from '../domain/lifecycle/lifecycle.ts';
import { unusedTime } from '../domain/lifecycle/unused-time.ts';
import { groupTitle, type Offer, shownTexts } from '../domain/offer.ts';

/** An event of an offer, before the store gives it the offer's next version and the real time. Instants in it are in the offer's time. */
export type OfferEvent = {
  readonly declaration: EventDeclaration;
  readonly data: unknown;
};

export function created(offer: Offer, imageUrl: string): OfferEvent {
  return event(OfferCreated, { ...content(offer, imageUrl), paid: offer.paidAt !== null });
}

/** @param changed what the edit has changed; the event has the whole content, so that a follower needs no earlier event */
export function updated(
  offer: Offer,
  { imageUrl, changed }: { readonly imageUrl: string; readonly changed: readonly EditableFact[] },
  at: Date,
): OfferEvent {
  return event(OfferUpdated, {
    ...content(offer, imageUrl),
    changedFields: changed.map(fieldOf),
    updatedAt: at.toISOString(),
  });
}

/** The name that the public API gives a fact. */
export function fieldOf(fact: EditableFact) {
  return fact === 'image' ? 'image' : contentFields[fact];
}

/** What its events have said until now. */
export function stateOf(offer: Offer, imageUrl: string): OfferState {
  return {
    ...content(offer, imageUrl),
    activated: offer.activationAnnouncedAt !== null,
    pausedAt: offer.pausedSince?.toISOString() ?? null,
    disabledAt: offer.disabledSince?.toISOString() ?? null,
  };
}

function content(offer: Offer, imageUrl: string) {
  return {
    ...reference(offer),
    categoryId: offer.categoryId,
    ...shownTexts(offer),
    url: offer.url,
    imageUrl,
    latitude: offer.latitude,
    longitude: offer.longitude,
    radiusMiles: offer.radiusMiles,
    gender: [...offer.gender],
    interests: [...offer.interests],
    paymentMethod: offer.paymentMethod,
  };
}

/** @param together the offers that are paid with it, itself included */
export function paymentLinkIssued(offer: Offer, paymentUrl: string, together: readonly Offer[]): OfferEvent {
  return event(PaymentLinkIssued, { ...reference(offer), ...price(offer, together, {}), paymentUrl });
}

export function paymentApplied(
  offer: Offer,
  outcome: Exclude<PaymentOutcome, 'deferred'>,
  together: readonly Offer[],
  paidAt: Date,
  at: Date,
): OfferEvent {
  return event(OfferPaymentApplied, {
    ...reference(offer),
    ...price(offer, together, { unused: unusedOf(together, at) }),
    ...unusedTime(offer, at),
    paymentMethod: offer.paymentMethod,
    paidAt: paidAt.toISOString(),
    outcome,
  });
}

export function activated(offer: Offer, activatedAt: Date): OfferEvent {
  return event(OfferActivated, { ...reference(offer), activatedAt: activatedAt.toISOString() });
}

export function paused(offer: Offer, at: Date): OfferEvent {
  return event(OfferPaused, { ...reference(offer), pausedAt: at.toISOString() });
}

export function resumed(offer: Offer, at: Date): OfferEvent {
  return event(OfferResumed, { ...reference(offer), resumedAt: at.toISOString() });
}

export function disabled(offer: Offer, at: Date): OfferEvent {
  const reason = offer.disabledReason ?? '';
  return event(OfferDisabled, { ...reference(offer), disabledAt: at.toISOString(), reason });
}

export function enabled(offer: Offer, at: Date): OfferEvent {
  return event(OfferEnabled, { ...reference(offer), enabledAt: at.toISOString() });
}

/** @param together the offers of its group that end with it, itself included */
export function endsSoon(offer: Offer, together: readonly Offer[]): OfferEvent {
  const paused = together.filter(({ pausedSince }) => pausedSince !== null).length;
  return event(OfferEndsSoon, {
    ...reference(offer),
    paused: offer.pausedSince !== null,
    ...ofGroup(offer, together, { paused }),
  });
}

/**
 * @param together as in `endsSoon`
 * @param alsoNow those of them that end in this transaction, so that their Unused Time cannot change any more
 */
export function ended(
  offer: Offer,
  { together, alsoNow }: { readonly together: readonly Offer[]; readonly alsoNow: readonly Offer[] },
  at: Date,
): OfferEvent {
  const unusedMs = Math.max(0, ...together.map((each) => unusedTime(each, at).unusedMs));
  return event(OfferEnded, {
    ...reference(offer),
    ...creditFacts(offer, at),
    endedAt: offer.expiryAt.toISOString(),
    ...ofGroup(offer, together, { unusedMs, unused: unusedOf(alsoNow, at) }),
  });
}

function unusedOf(offers: readonly Offer[], at: Date) {
  return offers
    .filter(({ paymentAppliedAt }) => paymentAppliedAt !== null)
    .map((offer) => {
      const { unusedMs, scheduledMs } = unusedTime(offer, offer.deletedAt ?? at);
      return { offerId: offer.offerId, unusedMs, scheduledMs };
    });
}

function ofGroup<Facts>({ groupId, title }: Offer, together: readonly Offer[], facts: Facts) {
  const isOneTitle = together.every((each) => each.title === title);
  const places = together.map(({ offerId, title, placeLabel, latitude, longitude }) => {
    const place = placeLabel ?? `${latitude}, ${longitude}`;
    return { offerId, label: isOneTitle ? place : `${title} (${place})` };
  });
  return groupId === null ? {} : { group: { groupId, title: groupTitle(together), places, ...facts } };
}

/** @param together the offers of its group that are deleted in this transaction, itself included */
export function deleted(offer: Offer, at: Date, together: readonly Offer[] = [offer]): OfferEvent {
  const deletedAt = offer.deletedAt ?? at;
  const { groupId } = offer;
  return event(OfferDeleted, {
    ...reference(offer),
    ...creditFacts(offer, deletedAt),
    deletedAt: deletedAt.toISOString(),
    ...(groupId !== null &&
      together.length > 1 && {
        group: { groupId, title: groupTitle(together), unused: unusedOf(together, at) },
      }),
  });
}

function event<D extends EventDeclaration>(declaration: D, data: EventData<D>): OfferEvent {
  return { declaration, data };
}

function reference(offer: Offer) {
  return {
    offerId: offer.offerId,
    organisationId: offer.organisationId,
    mode: offer.mode,
    title: offer.title,
    startAt: offer.startAt.toISOString(),
    expiryAt: offer.expiryAt.toISOString(),
  };
}

function price<Facts extends object>(offer: Offer, together: readonly Offer[], facts: Facts) {
  const { createdBy, currency, netMinor, vatMinor, groupId } = offer;
  const total = (amount: 'netMinor' | 'vatMinor') => sum(together.map((each) => each[amount])).toString();
  const first = (at: 'startAt' | 'expiryAt') => new Date(Math.min(...together.map((each) => +each[at])));
  return {
    createdBy,
    currency,
    netMinor: netMinor.toString(),
    vatMinor: vatMinor.toString(),
    ...(groupId !== null && {
      group: {
        groupId,
        title: groupTitle(together),
        places: together.length,
        startAt: first('startAt').toISOString(),
        expiryAt: first('expiryAt').toISOString(),
        haveSameTime: together.every(
          ({ startAt, expiryAt }) => +startAt === +offer.startAt && +expiryAt === +offer.expiryAt,
        ),
        netMinor: total('netMinor'),
        vatMinor: total('vatMinor'),
        ...facts,
      },
    }),
  };
}

/** Cumulative, so that billing can receive it late, twice or out of order (architecture, rule 5). */
function creditFacts(offer: Offer, at: Date) {
  return { ...unusedTime(offer, at), paid: offer.paymentAppliedAt !== null };
}
