/**
 * Internal admin routes to compare what offers and billing have stored about each payment (docs/operations). Pages are in the order of
 * offer ids.
 */
import { z } from 'zod';
import {
  currency,
  milliseconds,
  minorUnits,
  mode,
  offerId,
  organisationId,
  paymentMethod,
} from '../values/primitives.ts';

/** GET /admin/payments? of offers and of billing: payments with an offer id greater than `after`. */
export const paymentsPage = z.object({
  after: z.coerce.number().int().nonnegative().default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
});

const sale = { offerId, organisationId, mode, currency, netMinor: minorUnits };

/** A payment as stored by offers. */
export const knownPayment = z.object({
  ...sale,
  paymentMethod,
  paid: z.boolean(),
  /** False: a reservation of a creation that is not finished. */
  shown: z.boolean(),
  /** Deleted or Ended, and the event was published: its Unused Time is final. */
  over: z.boolean(),
  unusedMs: milliseconds,
  scheduledMs: milliseconds,
});
export type KnownPayment = z.infer<typeof knownPayment>;
export const knownPayments = z.object({ payments: z.array(knownPayment) });

/** A payment as stored by billing. */
export const billedPayment = z.object({
  ...sale,
  /** Null: the id was closed before any charge or checkout. */
  paymentMethod: paymentMethod.nullable(),
  paid: z.boolean(),
  /** Its payment page can be paid. */
  open: z.boolean(),
  /** With what is withheld while the card provider has the payment back (decision 158, credits of money that was kept). */
  creditedMinor: minorUnits,
});
export type BilledPayment = z.infer<typeof billedPayment>;
export const billedPayments = z.object({ payments: z.array(billedPayment) });

/** POST /admin/payments/{offer_id}/charge of offers: charges an offer again that billing does not know, once per offer. */
export const chargeAgainReply = z.object({
  offerId,
  outcome: z.enum(['charged', 'balance-too-low', 'closed', 'may-not-spend', 'above-limit']),
});
export type ChargeAgainReply = z.infer<typeof chargeAgainReply>;

/** POST /admin/payments/{offer_id}/void of billing, for an offer that no longer exists: credits it in full and closes its page. */
export const voidReply = z.object({ offerId, outcome: z.enum(['credited', 'closed', 'unknown']) });
export type VoidReply = z.infer<typeof voidReply>;
