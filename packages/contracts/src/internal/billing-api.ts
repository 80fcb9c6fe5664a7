/** Billing's internal interface for offers and the gateway. Organisation, mode and currency come from the caller context. */
import { z } from 'zod';
import { zonedDateTime } from '../values/date-time.ts';
import {
  currency,
  groupId,
  instant,
  MAX_GROUP_OFFERS,
  minorUnits,
  mode,
  offerId,
  paymentMethod,
} from '../values/primitives.ts';

/** POST /internal/charges: takes the price from the prepaid balance, once per offer id. */
export const chargeRequest = z.object({ offerId, title: z.string(), netMinor: minorUnits });
/** The limit of the caller that a price is above. */
export const exceededLimit = z.object({
  per: z.enum(['day', 'month']),
  limitMinor: minorUnits,
  leftMinor: minorUnits,
  /** The price, for a card payment with VAT. */
  costMinor: minorUnits,
});
export type ExceededLimit = z.infer<typeof exceededLimit>;

export const chargeReply = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('charged'), chargedAt: instant, balanceMinor: minorUnits }),
  z.object({
    outcome: z.literal('refused'),
    /** `closed`: the id was closed without a charge before and can never be charged. */
    reason: z.enum(['balance-too-low', 'closed', 'may-not-spend', 'above-limit']),
    balanceMinor: minorUnits,
    /** With `above-limit`. */
    exceeded: exceededLimit.optional(),
  }),
]);
export type ChargeReply = z.infer<typeof chargeReply>;

/** POST /internal/checkouts: opens the card checkout of an offer, once per offer id. */
export const checkoutRequest = z.object({
  offerId,
  title: z.string(),
  netMinor: minorUnits,
  offerExpiryAt: instant,
});
export const checkoutReply = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('opened'), paymentUrl: z.url(), netMinor: minorUnits, vatMinor: minorUnits }),
  z.object({
    outcome: z.literal('refused'),
    /** `above-maximum`: the price with VAT is more than one card payment allows. */
    reason: z.enum(['below-minimum', 'above-maximum', 'closed', 'above-limit']),
    /** The smallest net price that the provider accepts; null for other reasons. */
    minimumMinor: minorUnits.nullable(),
    /** With `above-limit`. */
    exceeded: exceededLimit.optional(),
  }),
]);
export type CheckoutReply = z.infer<typeof checkoutReply>;

/**
 * POST /internal/group-charges: takes the prices of a group's offers from the prepaid balance, all or none, once per group id. The reply is
 * a `chargeReply` about their sum.
 */
export const groupChargeRequest = z.object({
  groupId,
  /** Each offer belongs to one group for ever, and cannot be charged by itself. */
  offers: z
    .array(chargeRequest)
    .min(1)
    .max(MAX_GROUP_OFFERS)
    .refine((offers) => new Set(offers.map((offer) => offer.offerId)).size === offers.length, 'must differ'),
});

/**
 * POST /internal/group-checkouts: opens one card checkout of a group's offers, once per group id. The reply is a `checkoutReply` about their
 * sum. When it is paid, `OfferPaid` is published for each offer, with its part of the VAT (`vatParts`).
 */
export const groupCheckoutRequest = groupChargeRequest.extend({
  /** What the payer buys, on the payment page and the invoice. */
  title: z.string(),
  offerExpiryAt: instant,
});

/** Deletions of an offer are numbered, so that a late request of an earlier deletion has no effect. The greatest number is final. */
const deletion = z
  .int()
  .positive()
  .max(2 ** 31 - 2);

/**
 * POST /internal/offers/{offerId}/close-checkout: `paid` is E6, `unknown` is E7. Idempotent. This route, keep-checkout and resolve-charge
 * exist for groups too, at /internal/groups/{groupId}/...: an unpaid group is closed as a whole, and its deletions have numbers of its own.
 * For an offer of a group that is not paid, these routes are 409.
 */
export const closeCheckoutRequest = z.object({ deletion });
export const closeCheckoutReply = z.object({ outcome: z.enum(['closed', 'paid', 'unknown']) });
export type CloseCheckoutReply = z.infer<typeof closeCheckoutReply>;

/**
 * POST /internal/offers/{offerId}/keep-checkout: the deletion was given up. A page that was closed for it, or for an earlier deletion,
 * can be paid again. After a later deletion this has no effect.
 */
export const keepCheckoutRequest = z.object({ deletion });
export const keepCheckoutReply = z.object({ outcome: z.enum(['open', 'closed', 'paid']) });
export type KeepCheckoutReply = z.infer<typeof keepCheckoutReply>;

/**
 * POST /internal/offers/{offerId}/resolve-charge: the outcome of an abandoned creation. `charged`: money was taken, so finish the offer.
 * `closed`: no money was taken, and none ever will be for this id. `unknown`: ask again later.
 */
export const resolveChargeReply = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('charged'),
    paymentMethod,
    paymentUrl: z.url().nullable(),
    netMinor: minorUnits,
    vatMinor: minorUnits,
    paidAt: instant,
  }),
  z.object({ outcome: z.literal('closed') }),
  z.object({ outcome: z.literal('unknown') }),
]);
export type ResolveChargeReply = z.infer<typeof resolveChargeReply>;

/** POST /internal/offers/{offerId}/credit-preview: the credit for this Unused Time, beyond what was credited already. */
export const creditPreviewRequest = z.object({
  unusedMs: z.int().nonnegative(),
  scheduledMs: z.int().positive(),
});
/** `creditedMinor`: what was credited for the offer already. Both are 0 for an offer that was never paid. */
export const creditPreviewReply = z.object({ creditMinor: minorUnits, creditedMinor: minorUnits });
export type CreditPreviewReply = z.infer<typeof creditPreviewReply>;

/** GET /internal/spending: what is left of each of the caller's limits; null: no limit. */
const left = z.object({ limitMinor: minorUnits, leftMinor: minorUnits }).nullable();
export const spendingReply = z.object({ day: left, month: left });
export type SpendingReply = z.infer<typeof spendingReply>;

/** GET /internal/balance: the balance of the caller's organisation and mode; 0 if nothing was ever booked. */
export const balanceReply = z.object({ mode, currency, balanceMinor: minorUnits });
export type BalanceReply = z.infer<typeof balanceReply>;

/** Kinds of ledger transactions, as statements name them. */
export const transactionKind = z.enum([
  'offer-charge',
  'offer-card-payment',
  'group-card-payment',
  'unused-time-credit',
  'card-top-up',
  'platform-top-up',
  'play-money',
  'card-refund',
  'card-refund-failed',
  'card-dispute',
  'card-dispute-won',
  'card-settlement',
  'card-settlement-returned',
]);
export type TransactionKind = z.infer<typeof transactionKind>;

/**
 * GET /internal/statement?: the bookings of the caller's organisation and mode, newest first. Pages of one period stay consistent while
 * more is booked.
 */
export const statementPeriod = z.object({
  /** From this instant. */
  from: zonedDateTime.optional(),
  /** Before this instant. */
  to: zonedDateTime.optional(),
  kinds: z
    .string()
    .transform((kinds) => kinds.split(','))
    .pipe(z.array(transactionKind))
    .optional()
    .meta({ description: 'Only bookings of these kinds, separated by commas.' }),
  /** From the previous page, with the same period and kinds. */
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(50),
});
export const statementQuery = withPeriodInOrder(statementPeriod);

export function withPeriodInOrder<S extends z.ZodType<{ from?: Date | undefined; to?: Date | undefined }>>(
  query: S,
) {
  const inOrder = ({ from, to }: z.infer<S>) => from === undefined || to === undefined || from < to;
  return query.refine(inOrder, { path: ['to'], error: 'must be after from' });
}

/** GET /internal/statement.csv?: the same bookings as a CSV file; 400 when there are more than `MAX_CSV_ENTRIES`. */
export const statementCsvPeriod = statementPeriod.omit({ cursor: true, limit: true });
export const statementCsvQuery = withPeriodInOrder(statementCsvPeriod);
export const MAX_CSV_ENTRIES = 10_000;

export const statementEntry = z.object({
  bookedAt: instant,
  kind: transactionKind,
  offerId: offerId.nullable(),
  groupId: groupId.nullable().meta({ description: 'Of a card payment for several offers: their group.' }),
  title: z.string().nullable().meta({
    description: 'The title of the offer or, of a card payment for several offers, what was paid for.',
  }),
  cause: z.string().meta({ description: 'Identifies the booking: unique. Quote it to support.' }),
  /** Positive: added to the balance. 0 for a card payment, which does not change it. */
  amountMinor: minorUnits,
  balanceMinor: minorUnits.meta({ description: 'The balance after it.' }),
  /** The amounts through the card provider: positive if paid, negative if returned. */
  card: z.object({ netMinor: minorUnits, vatMinor: minorUnits }).nullable(),
});
export const statementReply = z.object({
  mode,
  currency,
  /** The balances before the first and after the last entry of the period; the same on all its pages. */
  openingBalanceMinor: minorUnits,
  closingBalanceMinor: minorUnits,
  /** Of all bookings of the period and the kinds, on the first page. Null on others, and if there are more than `MAX_CSV_ENTRIES`. */
  sums: z
    .object({
      entries: z.int().nonnegative(),
      addedMinor: minorUnits,
      deductedMinor: minorUnits.meta({ description: 'Not above zero.' }),
      card: statementEntry.shape.card,
    })
    .nullable(),
  entries: z.array(statementEntry),
  nextCursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
});
export type StatementReply = z.infer<typeof statementReply>;

/** PUT /internal/low-balance-threshold: the organisation's admins get a mail when the balance falls below it; null: no mails. */
export const lowBalanceRequest = z.object({
  thresholdMinor: minorUnits
    .transform(BigInt)
    .refine((amount) => amount > 0n, 'must be above zero, or null for no mails')
    .nullable(),
});
/** The reply to it, and to GET /internal/low-balance-threshold. */
export const lowBalanceReply = z.object({
  mode,
  currency,
  thresholdMinor: minorUnits.nullable(),
  balanceMinor: minorUnits,
  /** Whether the balance is below the threshold now. */
  isLow: z.boolean(),
});
export type LowBalanceReply = z.infer<typeof lowBalanceReply>;

/**
 * POST /internal/top-ups with an Idempotency-Key: opens the payment page of a top-up of the caller's balance. `amountMinor` is what the
 * balance receives; VAT is added to the payment. Refusals are 400 (amount, currency, key), 409 (20 unpaid top-ups exist already) and 422
 * (the key was used with another amount).
 */
export const cardTopUpRequest = z.object({
  amountMinor: minorUnits.refine((minor) => !minor.startsWith('-'), 'must not be negative'),
});
export const cardTopUpReply = z.object({
  topUpId: z.int().positive(),
  paymentUrl: z.url(),
  currency,
  netMinor: minorUnits,
  vatMinor: minorUnits,
  /** The page is closed if it is unpaid by then. */
  expiresAt: instant,
});
export type CardTopUpReply = z.infer<typeof cardTopUpReply>;

/**
 * POST /internal/play-money with an Idempotency-Key: adds play money to the caller's TEST balance, at once. In LIVE mode 404. Other
 * refusals are 400 (amount, currency, key), 409 (the balance would be too high) and 422 (the key was used with another amount).
 */
export const playMoneyRequest = z.object({ amountMinor: cardTopUpRequest.shape.amountMinor });
export const playMoneyReply = z.object({
  mode: z.literal('TEST'),
  currency,
  amountMinor: minorUnits,
  balanceMinor: minorUnits.meta({ description: 'The balance now.' }),
});
export type PlayMoneyReply = z.infer<typeof playMoneyReply>;

/** GET /internal/invoices?: invoices and credit notes of the caller's organisation and mode, newest first. */
export const invoicesQuery = z.object({
  /** Of the page before. */
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(50),
  offerId: z.coerce
    .number()
    .pipe(offerId)
    .optional()
    .meta({ description: 'Only the invoice of this offer and its credit notes.' }),
});
export type InvoicesQuery = z.infer<typeof invoicesQuery>;
export const invoice = z.object({
  number: z.string().meta({
    description:
      'Sequential without gaps per mode: INV-000001 in LIVE, TEST-000001 in TEST mode. Credit notes have numbers of their own: CN-000001 and TEST-CN-000001.',
  }),
  document: z.enum(['invoice', 'credit-note', 'cancellation']).meta({
    description:
      'A credit note is issued for a refund of the card payment, whole or in part. A cancellation takes back the credit note of a refund that failed afterwards. The amounts of all three are above zero.',
  }),
  invoiceNumber: z
    .string()
    .nullable()
    .meta({ description: 'The invoice that a credit note or a cancellation is for; null for an invoice.' }),
  cancelsNumber: z
    .string()
    .nullable()
    .meta({ description: 'The credit note that a cancellation takes back; null for all others.' }),
  kind: z.enum(['offer', 'group', 'top-up']),
  offerId: offerId.nullable(),
  title: z.string().nullable().meta({ description: "The offer's title at the time of payment." }),
  currency,
  netMinor: minorUnits,
  vatMinor: minorUnits,
  grossMinor: minorUnits,
  paidAt: instant.meta({ description: 'When the invoice was paid.' }),
  issuedAt: instant,
});
export type InvoiceSummary = z.infer<typeof invoice>;
export const invoicesReply = z.object({
  mode,
  invoices: z.array(invoice),
  nextCursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
});
export type InvoicesReply = z.infer<typeof invoicesReply>;
/**
 * GET /internal/invoices/{number}.html and {number}.pdf: the document, in English. 404 for those of other organisations or of the
 * other mode. Pass it on with its content type, content disposition, content security policy and cache control.
 */
export const invoiceFile = z.string().regex(/^(INV|TEST|CN|TEST-CN)-\d{6,18}\.(html|pdf)$/);
