/** Billing's internal interface: what offers and the gateway ask of it. Organisation, mode and currency come from the caller context. */
import { z } from 'zod';
import { currency, instant, minorUnits, mode, offerId, paymentMethod } from './primitives.ts';

/** POST /internal/charges: takes the price from the prepaid balance, once per offer id. */
export const chargeRequest = z.object({ offerId, title: z.string(), netMinor: minorUnits });
export const chargeReply = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('charged'), chargedAt: instant, balanceMinor: minorUnits }),
  z.object({
    outcome: z.literal('refused'),
    /** `closed`: settled as not charged before; the id can never be charged again. */
    reason: z.enum(['balance-too-low', 'closed']),
    balanceMinor: minorUnits,
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
    reason: z.enum(['below-minimum', 'closed']),
    /** The smallest net price that the provider takes; null when the reason is another. */
    minimumMinor: minorUnits.nullable(),
  }),
]);
export type CheckoutReply = z.infer<typeof checkoutReply>;

/** Deletions of an offer are numbered, so that a late request of one that is over changes nothing. */
const deletion = z.int().positive();

/** POST /internal/offers/{offerId}/close-checkout: `paid` is E6, `unknown` is E7. Closing twice is closing once. */
export const closeCheckoutRequest = z.object({ deletion });
export const closeCheckoutReply = z.object({ outcome: z.enum(['closed', 'paid', 'unknown']) });
export type CloseCheckoutReply = z.infer<typeof closeCheckoutReply>;

/**
 * POST /internal/offers/{offerId}/keep-checkout: the deletion came to nothing, whatever was asked for it. A page that was
 * closed for it, or for one before it, works again; after a later deletion nothing changes.
 */
export const keepCheckoutRequest = z.object({ deletion });
export const keepCheckoutReply = z.object({ outcome: z.enum(['open', 'closed', 'paid']) });
export type KeepCheckoutReply = z.infer<typeof keepCheckoutReply>;

/**
 * POST /internal/offers/{offerId}/settle: the fate of an abandoned creation. `charged`: money was taken, finish the
 * offer. `closed`: none was taken and none ever will be for this id. `unknown`: ask again later.
 */
export const settleReply = z.discriminatedUnion('outcome', [
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
export type SettleReply = z.infer<typeof settleReply>;

/** GET /internal/balance: the balance of the caller's organisation and mode; 0 when nothing was ever booked. */
export const balanceReply = z.object({ mode, currency, balanceMinor: minorUnits });
export type BalanceReply = z.infer<typeof balanceReply>;

/** What a transaction of the ledger is, as statements name it. */
export const transactionKind = z.enum([
  'offer-charge',
  'offer-card-payment',
  'unused-time-credit',
  'card-top-up',
  'platform-top-up',
  'card-refund',
  'card-dispute',
  'card-dispute-won',
]);
export type TransactionKind = z.infer<typeof transactionKind>;
