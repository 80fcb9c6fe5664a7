/** Events of the lifecycle of offers: for billing, the notifier and the community platform. */
import { z } from 'zod';
import { eventTexts } from '../values/offer-text-schemas.ts';
import { placeLimits } from '../values/places.ts';
import {
  categoryId,
  currency,
  groupId,
  instant,
  interestId,
  latitude,
  longitude,
  memberGender,
  milliseconds,
  minorUnits,
  mode,
  offerId,
  organisationId,
  paymentMethod,
  personId,
} from '../values/primitives.ts';
import { declareEvent } from './event-declaration.ts';

/** The offer, its organisation and its scheduled time. */
const offerReference = z.object({
  offerId,
  organisationId,
  mode,
  title: z.string(),
  startAt: instant,
  expiryAt: instant,
});

/**
 * Cumulative Unused Time: the total credit that billing must reach is price x unused / scheduled. So repeated and reordered events do no
 * harm.
 */
const unusedTime = z.object({ unusedMs: milliseconds, scheduledMs: milliseconds.positive() });

/** Of an offer of a group: what its offers that are meant are called together. */
const together = z.object({ groupId, title: z.string() });

/** What all offers that are paid together cost, and when the first of them starts and the first of them ends. */
const paidTogether = together.extend({
  places: z.int().positive(),
  startAt: instant,
  expiryAt: instant,
  haveSameTime: z.boolean().meta({ description: 'Whether all start and end with the first.' }),
  netMinor: minorUnits,
  vatMinor: minorUnits,
});

/** The offers of the group that end with this one, so that one mail tells of all. */
const endingTogether = together.extend({
  places: z.array(z.object({ offerId, label: z.string() })).max(placeLimits.most),
});

/**
 * The paid offers of the group that ended, were deleted or were paid in the same transaction, itself included. Billing credits them together,
 * so that one mail names the amount of all.
 */
const creditedTogether = together.extend({
  unused: z.array(unusedTime.extend({ offerId })).max(placeLimits.most),
});

export const OfferCreated = declareEvent({
  name: 'OfferCreated',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({
    categoryId,
    ...eventTexts,
    url: z.string(),
    imageUrl: z.string(),
    latitude,
    longitude,
    radiusMiles: z.number(),
    gender: z.array(memberGender),
    interests: z.array(interestId),
    paymentMethod,
    paid: z.boolean(),
  }),
  meaning: 'An offer exists; it is shown only while it is active.',
});

export const OfferUpdated = declareEvent({
  name: 'OfferUpdated',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: OfferCreated.schema.omit({ paid: true }).extend({
    changedFields: z
      .array(z.string())
      .meta({ description: 'What has changed, by the names of the fields of `PATCH /offers/{offer_id}`.' }),
    updatedAt: instant,
  }),
  meaning: 'The advertiser changed what members see of the offer; carries the whole content.',
});

export const PaymentLinkIssued = declareEvent({
  name: 'PaymentLinkIssued',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({
    createdBy: personId.nullable(),
    paymentUrl: z.url(),
    currency,
    netMinor: minorUnits,
    vatMinor: minorUnits,
    group: paidTogether.optional(),
  }),
  meaning: 'An offer waits for payment by card; the notifier mails the link.',
});

export const OfferPaymentApplied = declareEvent({
  name: 'OfferPaymentApplied',
  version: 1,
  owner: 'offers',
  consumers: ['billing', 'notifier'],
  schema: offerReference.extend(unusedTime.shape).extend({
    createdBy: personId.nullable(),
    paymentMethod,
    currency,
    netMinor: minorUnits,
    vatMinor: minorUnits,
    group: paidTogether.extend(creditedTogether.shape).optional(),
    paidAt: instant,
    /** The state of the offer after the payment. A payment for an ended or deleted offer is wholly unused. */
    outcome: z.enum(['active', 'scheduled', 'ended', 'deleted']),
  }),
  meaning: 'A payment has been applied to its offer.',
});

export const OfferActivated = declareEvent({
  name: 'OfferActivated',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({ activatedAt: instant }),
  meaning: 'A paid offer reached its start and is live.',
});

export const OfferPaused = declareEvent({
  name: 'OfferPaused',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({ pausedAt: instant }),
  meaning: 'The advertiser paused the offer.',
});

export const OfferResumed = declareEvent({
  name: 'OfferResumed',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({ resumedAt: instant }),
  meaning: 'The advertiser resumed the offer.',
});

export const OfferDisabled = declareEvent({
  name: 'OfferDisabled',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({
    disabledAt: instant,
    reason: z.string().meta({ description: 'What the advertiser is told.' }),
  }),
  meaning: 'An admin of the platform disabled the offer.',
});

export const OfferEnabled = declareEvent({
  name: 'OfferEnabled',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({ enabledAt: instant }),
  meaning: 'An admin of the platform enabled the offer again.',
});

export const OfferEndsSoon = declareEvent({
  name: 'OfferEndsSoon',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: offerReference.extend({
    paused: z.boolean(),
    group: endingTogether
      .extend({ paused: z.int().nonnegative().meta({ description: 'How many of them are paused.' }) })
      .optional(),
  }),
  meaning:
    'The expiry is a day away, and no other offer extends this one. Only of offers of two days or more.',
});

const resultsOfOffers = z.object({
  views: z.int().nonnegative(),
  clicks: z.int().nonnegative(),
  costMinor: minorUnits.meta({ description: 'The part of the price for the time that ran, net of VAT.' }),
});
/** The offers that a weekly report names. */
export const MAX_REPORTED = 10;
export const WeekEnded = declareEvent({
  name: 'WeekEnded',
  version: 1,
  owner: 'offers',
  consumers: ['notifier'],
  schema: z.object({
    organisationId,
    mode,
    currency,
    from: instant.meta({ description: 'A Monday, 00:00 UTC.' }),
    to: instant.meta({ description: 'The Monday after it.' }),
    offers: z
      .array(resultsOfOffers.extend({ offerId, title: z.string() }))
      .max(MAX_REPORTED)
      .meta({ description: 'Those with the most views, the greatest first.' }),
    moreOffers: z.int().nonnegative().meta({ description: 'How many more ran in the week.' }),
    total: resultsOfOffers,
  }),
  meaning:
    'A week is over in which LIVE offers of the organisation ran: their results, for its weekly report.',
});

export const OfferEnded = declareEvent({
  name: 'OfferEnded',
  version: 1,
  owner: 'offers',
  consumers: ['billing', 'notifier'],
  schema: offerReference.extend(unusedTime.shape).extend({
    paid: z.boolean(),
    endedAt: instant,
    group: endingTogether
      .extend(creditedTogether.shape)
      .extend({ unusedMs: milliseconds.meta({ description: 'Of the one that ran least.' }) })
      .optional(),
  }),
  meaning: 'The expiry has passed: billing credits Unused Time and closes an unpaid payment page.',
});

export const OfferDeleted = declareEvent({
  name: 'OfferDeleted',
  version: 1,
  owner: 'offers',
  consumers: ['billing', 'notifier'],
  schema: offerReference.extend(unusedTime.shape).extend({
    paid: z.boolean(),
    deletedAt: instant,
    group: creditedTogether.optional(),
  }),
  meaning: 'The advertiser deleted the offer; it is never listed again.',
});

export const CatalogueChanged = declareEvent({
  name: 'CatalogueChanged',
  version: 1,
  owner: 'offers',
  consumers: ['pricing'],
  schema: z.object({
    categories: z.array(z.object({ categoryId, categoryName: z.string(), active: z.boolean() })),
    interests: z.array(z.object({ interestId, interestName: z.string(), active: z.boolean() })),
  }),
  meaning: 'Categories or interests changed; carries the whole catalogue.',
});
