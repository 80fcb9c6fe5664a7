/** The basic types of all contracts in JSON: identifiers, modes, money and instants. */
import { z } from 'zod';
import { memberGenders } from './member-gender.ts';
import { placeLimits } from './places.ts';

export const serviceNames = ['gateway', 'offers', 'billing', 'pricing', 'moderation', 'notifier'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Ids are four-byte integers in Postgres, which refuses larger numbers. */
export const GREATEST_ID = 2 ** 31 - 1;

export const organisationId = z
  .int()
  .positive()
  .meta({ description: 'Organisation, unique in the gateway.' });
export const personId = z.int().positive().meta({ description: 'Person of an organisation.' });
export const offerId = z
  .int()
  .positive()
  .meta({ description: 'Offer, unique over organisations and modes.' });
/** An offer group: offers that are ordered and paid together. At most 20, so that one transaction can charge them all. */
export const groupId = z
  .int()
  .positive()
  .meta({ description: 'Offer group, unique over organisations and modes.' });
export const MAX_GROUP_OFFERS = placeLimits.most;
export const memberId = z.int().positive().meta({ description: 'Member of the community.' });

/** TEST and LIVE are separate: no offer, balance, key or listing of one is visible in the other. */
export const mode = z.enum(['TEST', 'LIVE']);
export type Mode = z.infer<typeof mode>;

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as GBP')
  .meta({ description: 'ISO 4217 code.' });
export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be an ISO 3166 code such as GB')
  .meta({ description: 'ISO 3166-1 alpha-2 code. VAT at 20% applies to GB.' });

/** Money on the wire: minor units (pence, cents) as decimal digits, because JSON has no 64-bit integers. */
export const minorUnits = z
  .string()
  .regex(/^-?\d{1,18}$/, 'must be whole minor units as decimal digits')
  .meta({ description: 'Whole minor units of the currency, as decimal digits.' });

/** An instant as ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const instant = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601, UTC, milliseconds.' });

/** The upper-case letters are usual; RFC 3339 allows both. */
const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/** Reads an `anyInstant`. JavaScript has no leap seconds: such a second is the one before it. */
export function instantOf(text: string): Date {
  return new Date(text.toUpperCase().replace(/:60(?=[.Z+-])/, ':59'));
}

/** What systems outside write: RFC 3339 with any offset and any number of digits for the second. */
export const anyInstant = z
  .string()
  .refine((text) => rfc3339.test(text) && !Number.isNaN(instantOf(text).getTime()), {
    error: 'must be an instant as RFC 3339, such as 2026-06-01T12:00:00Z',
  })
  .meta({ format: 'date-time', description: 'An instant as RFC 3339.' });

export const latitude = z.number().min(-90).max(90);
export const longitude = z.number().min(-180).max(180);

export const memberGender = z.enum(memberGenders);

export const interestId = z.int().positive();
export const categoryId = z.int().positive();

/** Offer states as the specification names them ("States and transitions"). */
export const offerStatuses = ['Awaiting Payment', 'Active', 'Scheduled', 'Paused', 'Ended'] as const;
export const offerStatus = z.enum(offerStatuses);
export type OfferStatus = z.infer<typeof offerStatus>;

/** Opaque to callers; the longest that pricing makes is shorter. */
export const quoteId = z.string().max(1_000);

/** How an offer is paid: `E` payment link (card), `B` prepaid balance. */
export const paymentMethod = z.enum(['E', 'B']);
export type PaymentMethod = z.infer<typeof paymentMethod>;

export const milliseconds = z.int().nonnegative().meta({ description: 'Milliseconds.' });
