/** Pricing's internal interface: one price function, used by estimate and creation. */
import { z } from 'zod';
import {
  instant,
  interestId,
  latitude,
  longitude,
  MAX_GROUP_OFFERS,
  memberGender,
  quoteId,
} from '../values/primitives.ts';
import { radiusMiles } from '../values/radius.ts';

/** POST /internal/price. Empty `gender` or `interests` means every member. The currency comes from the caller context. */
export const priceRequest = z.object({
  startAt: instant,
  endAt: instant,
  latitude,
  longitude,
  radiusMiles,
  gender: z.array(memberGender),
  interests: z.array(interestId),
});
export type PriceRequest = z.infer<typeof priceRequest>;

export const priceReply = z.object({
  matchingUsers: z.int().nonnegative(),
  /** Nobody matches, but somebody would with latitude and longitude exchanged. */
  isPlaceSwapped: z.literal(true).optional(),
  /** Ad Units in hundredths, as decimal digits: rule 1 rounds to 2 decimal places. */
  adUnitsHundredths: z.string().regex(/^\d+$/),
  /** Null when the billing currency cannot be billed (E6). */
  money: z
    .object({
      /** Without an upper limit: an offer for millions of members until the year 9999 costs more than any balance can hold. */
      costMinor: z.string().regex(/^\d+$/),
      /** Price of one Ad Unit in units of 10^-8 of the currency (rule 3). */
      adUnitPriceE8: z.string().regex(/^\d+$/),
      /** Units of the currency per pound sterling, in units of 10^-6. */
      exchangeRatePerGbpE6: z.string().regex(/^\d+$/),
      /** `YYYY-MM-DD`, null for GBP. */
      exchangeRateDate: z.iso.date().nullable(),
    })
    .nullable(),
});
export type PriceReply = z.infer<typeof priceReply>;

/** POST /internal/group-prices: the price of each offer of a group, in their order, with a quote unless there is no price to hold. */
export const groupPricesRequest = z.object({ offers: z.array(priceRequest).min(1).max(MAX_GROUP_OFFERS) });
export type GroupPricesRequest = z.infer<typeof groupPricesRequest>;
export const groupPricesReply = z.object({
  prices: z
    .array(priceReply.extend({ quoteId: quoteId.nullable() }))
    .min(1)
    .max(MAX_GROUP_OFFERS),
});
export type GroupPricesReply = z.infer<typeof groupPricesReply>;

/**
 * POST /internal/quoted-price: the price that a quote holds for this offer (decision 215, quotes). A path of its own, so that a replica
 * that does not know quotes fails instead of computing another price.
 */
export const quotedPriceRequest = priceRequest.extend({
  quoteId,
  /** When the creation arrived: the quote must be valid then. */
  receivedAt: instant,
});
export type QuotedPriceRequest = z.infer<typeof quotedPriceRequest>;
/** What a quote holds the price for. */
export const quotedFields = ['startAt', 'endAt', 'location', 'radiusMiles', 'gender', 'interests'] as const;
export type QuotedField = (typeof quotedFields)[number];
export const quotedPriceReply = z.union([
  z.object({ outcome: z.literal('honoured'), price: priceReply }),
  /** `unknown`: not a quote of ours. `foreign`: given to another organisation, mode or currency. */
  z.object({ outcome: z.literal('refused'), reason: z.enum(['unknown', 'foreign', 'expired']) }),
  z.object({
    outcome: z.literal('refused'),
    reason: z.literal('differs'),
    fields: z.array(z.enum(quotedFields)).min(1),
  }),
]);
export type QuotedPriceReply = z.infer<typeof quotedPriceReply>;
