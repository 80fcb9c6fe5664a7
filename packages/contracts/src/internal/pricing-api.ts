/** Pricing's internal interface: one price function, used by estimate and creation. */
import { z } from 'zod';
import { instant, interestId, latitude, longitude, memberGender } from '../values/primitives.ts';
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
