/** An offer to begin a test's story with: created at hour 0, scheduled from hour 1 to hour 11. */
import { byFact } from '@offer-ads/contracts/values/offer-texts';
import type { Offer } from '../../src/domain/offer.ts';

export const HOUR = 3_600_000;
const ORIGIN = Date.UTC(2026, 5, 1);

export function at(hour: number): Date {
  return new Date(ORIGIN + hour * HOUR);
}

/** A hidden reservation, as a creation leaves it before billing has answered. */
export function reservation(): Offer {
  return {
    offerId: 1,
    groupId: null,
    placeLabel: null,
    organisationId: 1,
    mode: 'TEST',
    createdBy: 1,
    tradingName: 'Corner Cafe',
    country: 'GB',
    currency: 'GBP',
    categoryId: 1,
    ...byFact(() => ''),
    title: 'Two for one',
    description: 'Two coffees for the price of one',
    advertisedName: null,
    url: 'https://cafe.example',
    image: 'picture.jpg',
    latitude: 51.5,
    longitude: -0.1,
    radiusMiles: 10,
    gender: [],
    interests: [],
    paymentMethod: 'E',
    matchingUsers: 50,
    netMinor: 1000n,
    vatMinor: 0n,
    paymentUrl: null,
    createdAt: at(0),
    startAt: at(1),
    expiryAt: at(11),
    paidAt: null,
    paymentAppliedAt: null,
    shownAt: null,
    pausedSince: null,
    disabledSince: null,
    disabledReason: null,
    stops: [],
    deletingSince: null,
    deletions: 0,
    failedDeletion: null,
    keepingSince: null,
    deletedAt: null,
    activationAnnouncedAt: null,
    endAnnouncedAt: null,
    endSoonAnnouncedAt: null,
    contentVersion: 1,
    contentChangedAt: null,
    reviewWaitingSince: null,
    version: 0,
  };
}

export function unpaidOffer(): Offer {
  return { ...reservation(), shownAt: at(0), paymentUrl: 'https://pay.example' };
}

export function paidOffer(): Offer {
  return { ...unpaidOffer(), paidAt: at(0), paymentAppliedAt: at(0) };
}
