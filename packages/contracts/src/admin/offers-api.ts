/** The internal admin routes of offers: offers of all organisations, their pictures, categories and interests (general rules: api.ts). */

import { z } from 'zod';
import { line } from '../portal/organisation-api.ts';
import { shownTexts } from '../values/offer-text-schemas.ts';
import {
  categoryId,
  currency,
  GREATEST_ID,
  instant,
  interestId,
  milliseconds,
  minorUnits,
  mode,
  offerId,
  offerStatuses,
  organisationId,
  paymentMethod,
  personId,
} from '../values/primitives.ts';
import { reason, trueOrFalse } from './api.ts';

const adminOfferStatus = z.enum([...offerStatuses, 'Deleted']);
/** An offer of any organisation, for the platform team. */
export const adminOffer = z.object({
  id: offerId,
  organisationId,
  mode,
  createdBy: personId.nullable(),
  title: z.string(),
  url: z.string(),
  status: adminOfferStatus,
  enabled: z.boolean(),
  paymentMethod,
  currency,
  netMinor: minorUnits,
  vatMinor: minorUnits,
  paymentUrl: z.string().nullable(),
  createdAt: instant,
  startAt: instant,
  expiryAt: instant,
  paidAt: instant.nullable(),
  paymentAppliedAt: instant.nullable(),
  pausedSince: instant.nullable(),
  disabledSince: instant.nullable(),
  disabledReason: z.string().nullable(),
  deletedAt: instant.nullable(),
  unusedMs: milliseconds,
  scheduledMs: milliseconds,
  /** 1 at the creation, and one more with each edit of what members see. */
  contentVersion: z.int().positive(),
  contentChangedAt: instant.nullable(),
  /** Since when the content waits for a look of the platform's staff; null: it was looked at, or is not paid yet. */
  reviewWaitingSince: instant.nullable(),
  version: z.int(),
  /** The hash of the cleaned picture: moderation's `cleanHash`. */
  imageHash: z.string(),
});
export type AdminOffer = z.infer<typeof adminOffer>;
/** POST /admin/offers/{id}/disable. The advertiser reads the reason, in a mail and in the portal. */
export const disableOfferRequest = z.object({ reason: line(500) });
/** GET /admin/offers/{id}, and the reply to /disable and /enable */
export const adminOfferReply = adminOffer.extend({
  ...shownTexts,
  /** The counts of analytics, and those that were filtered out (decision 50, views and clicks). */
  traffic: z.object({
    views: z.number(),
    clicks: z.number(),
    viewsRepeated: z.number(),
    clicksRepeated: z.number(),
    viewsAutomated: z.number(),
    clicksAutomated: z.number(),
  }),
});
export type AdminOfferReply = z.infer<typeof adminOfferReply>;

/** What staff filter offers by: a status, or that the platform has disabled it. */
export const offerFilter = z.enum([...offerStatuses, 'Deleted', 'Disabled']);
export type OfferFilter = z.infer<typeof offerFilter>;
/**
 * GET /admin/offers? : offers of all organisations, newest first; deleted ones only with `state=Deleted`. A page may have fewer offers than
 * its limit, or none, and still a `nextCursor`: the next page looks among older offers.
 */
export const adminOffersQuery = z.object({
  organisationId: z.coerce.number().pipe(organisationId.max(GREATEST_ID)).optional(),
  mode: mode.optional(),
  /** Words with which words of the title begin; all of them must be there. Upper and lower case are equal. */
  title: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine((text) => /[\p{L}\p{N}]/u.test(text), 'Must have a letter or a digit')
    .optional(),
  state: offerFilter.optional(),
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(20),
});
export const adminOffersReply = z.object({ offers: z.array(adminOffer), nextCursor: z.string().nullable() });
export type AdminOffersReply = z.infer<typeof adminOffersReply>;

/** GET /admin/reviews? : offers of all organisations whose content waits for a look, the longest waiting first. */
export const reviewsQuery = z.object({
  mode: mode.default('LIVE'),
  cursor: adminOffersQuery.shape.cursor,
  limit: adminOffersQuery.shape.limit,
});
export type ReviewsReply = AdminOffersReply;
/** POST /admin/offers/{id}/review: this content was looked at; 409 when it was changed since. The reply is that of GET /admin/offers/{id}. */
export const reviewRequest = z.object({ contentVersion: z.int().positive() });

/** GET /admin/offers/export? : all offers of an organisation with everything about them; by `deleted` those that were deleted, or the others. */
export const offersExportQuery = z.object({
  organisationId: z.coerce.number().pipe(organisationId.max(GREATEST_ID)),
  deleted: trueOrFalse,
  cursor: z.string().max(100).optional(),
});
export const exportedOffer = adminOffer.extend({
  ...shownTexts,
  categoryId,
  latitude: z.number(),
  longitude: z.number(),
  radiusMiles: z.number(),
  /** Empty: all, here and below. */
  gender: z.array(z.string()),
  interests: z.array(interestId),
  /** Past pauses and times when the platform had disabled it. */
  stops: z.array(z.object({ from: instant, to: instant })),
  /** By whole hours, UTC; hours without any are left out. */
  traffic: z.array(z.object({ hour: instant, views: z.int(), clicks: z.int() })),
});
export const offersExportReply = z.object({
  offers: z.array(exportedOffer),
  nextCursor: z.string().nullable(),
});
export type OffersExportReply = z.infer<typeof offersExportReply>;

/** GET /admin/images/{hash}/offers : the latest offers with the picture, without deleted ones. /admin/images/{hash} is the picture. */
export const imageNamed = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
});
export const imageOffersReply = z.object({ offers: z.array(adminOffer) });
export type ImageOffersReply = z.infer<typeof imageOffersReply>;

const category = z.object({
  categoryId: categoryId.max(GREATEST_ID),
  categoryName: line(100),
  active: z.boolean().default(true),
  /** Null: every organisation may use it. */
  organisationIds: z.array(organisationId.max(GREATEST_ID)).max(1_000).nullable().default(null),
});
const interest = z.object({
  interestId: interestId.max(GREATEST_ID),
  interestName: line(100),
  active: z.boolean().default(true),
});
/** Far more than anybody can choose from. Bounds the size of the event, which contains the whole catalogue. */
const maxEntries = 5_000;
/** As many as the audience index of pricing has columns, and as one member may have. */
const maxInterests = 512;

/** GET /admin/placements/neglected: offers that got less than half their fair share of showings in the last 24 hours, the worst first. */
export const neglectedReply = z.object({
  offers: z.array(
    z.object({
      offerId,
      organisationId,
      mode,
      title: z.string(),
      matched: z.int().meta({ description: 'Placements in which the offer matched the member.' }),
      fairShare: z
        .number()
        .meta({ description: 'Showings that it would have got of them with equal turns.' }),
      shown: z.int(),
    }),
  ),
});
export type NeglectedReply = z.infer<typeof neglectedReply>;

/** GET /admin/test-clocks/{organisation_id}: the time of an organisation's TEST offers. */
export const adminTestClock = z.object({
  now: z.iso.datetime(),
  aheadSeconds: z.int().nonnegative().meta({ description: 'How far that is ahead of the real time.' }),
});
export type AdminTestClock = z.infer<typeof adminTestClock>;

/** PUT /admin/catalogue: the whole catalogue. Entries that are not in it become inactive. */
export const catalogueReplacement = z.object({
  /** The version to replace: 409 when another one is stored by then. Without it, any version is replaced. */
  version: z.int().nonnegative().optional(),
  categories: z
    .array(category)
    .max(maxEntries)
    .refine(...eachOnce('categoryId')),
  interests: z
    .array(interest)
    .max(maxInterests, `at most ${maxInterests} interests: pricing counts members by this many`)
    .refine(...eachOnce('interestId')),
  reason,
});
export type CatalogueReplacement = z.infer<typeof catalogueReplacement>;
/** GET /admin/catalogue, and the reply to PUT: all entries that ever existed, with their last names. */
export const catalogueReply = z.object({
  version: z.int().nonnegative(),
  categories: z.array(category.extend({ categoryName: z.string() })),
  interests: z.array(interest.extend({ interestName: z.string() })),
});
export type Catalogue = z.infer<typeof catalogueReply>;

function eachOnce<K extends string>(id: K) {
  const isEachOnce = (entries: readonly Record<K, number>[]) =>
    new Set(entries.map((entry) => entry[id])).size === entries.length;
  return [isEachOnce, `must name each ${id} once`] as const;
}
