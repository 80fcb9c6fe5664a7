/**
 * Internal admin routes by which what offers and billing know of each payment is compared (docs/operations), page by page in the
 * order of offer ids.
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

/** GET /admin/payments? of offers and of billing: those behind `after`. */
export const paymentsPage = z.object({
  after: z.coerce.number().int().nonnegative().default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
});

const sale = { offerId, organisationId, mode, currency, netMinor: minorUnits };

/** What offers knows. */
export const knownPayment = z.object({
  ...sale,
  paymentMethod,
  paid: z.boolean(),
  /** False: a reservation of a creation that is not finished. */
  shown: z.boolean(),
  /** Deleted or Ended, and told so: its Unused Time is final. */
  over: z.boolean(),
  unusedMs: milliseconds,
  scheduledMs: milliseconds,
});
export type KnownPayment = z.infer<typeof knownPayment>;
export const knownPayments = z.object({ payments: z.array(knownPayment) });

/** What billing knows. */
export const billedPayment = z.object({
  ...sale,
  /** Null: an id that was closed before anything was asked of billing. */
  paymentMethod: paymentMethod.nullable(),
  paid: z.boolean(),
  /** Its payment page can be paid. */
  open: z.boolean(),
  creditedMinor: minorUnits,
});
export type BilledPayment = z.infer<typeof billedPayment>;
export const billedPayments = z.object({ payments: z.array(billedPayment) });

/** POST /admin/payments/{offer_id}/charge of offers: charged again what billing does not know, once per offer. */
export const chargeAgainReply = z.object({
  offerId,
  outcome: z.enum(['charged', 'balance-too-low', 'closed']),
});
export type ChargeAgainReply = z.infer<typeof chargeAgainReply>;

/** POST /admin/payments/{offer_id}/void of billing, of an offer that no longer exists: credited in full, its page closed. */
export const voidReply = z.object({ offerId, outcome: z.enum(['credited', 'closed', 'unknown']) });
export type VoidReply = z.infer<typeof voidReply>;
