/** The internal admin routes of billing: balances, statements, invoices, the ledger and problems with cards (general rules: api.ts). */

import { z } from 'zod';
import {
  invoice,
  invoicesQuery,
  lowBalanceRequest,
  statementPeriod,
  withPeriodInOrder,
} from '../internal/billing-api.ts';
import { line } from '../portal/organisation-api.ts';
import { isBilledCurrency } from '../values/currencies.ts';
import { currency, instant, minorUnits, mode, organisationId } from '../values/primitives.ts';

/** GET /admin/balances? */
export const balanceQuery = z.object({
  organisationId: z.coerce.number().pipe(organisationId),
  mode,
  currency,
});
/** Protects against typing errors, because a top-up cannot be taken back. Far above any payment, far below what a balance can hold. */
const LARGEST_TOP_UP_MINOR = 99_999_999_999_999n;

/** POST /admin/balances/top-up */
export const topUpRequest = z.object({
  organisationId,
  mode,
  currency: currency.refine(isBilledCurrency, 'is not a billed currency'),
  amountMinor: minorUnits
    .transform(BigInt)
    .refine((amount) => amount > 0n, 'must be above zero')
    .refine((amount) => amount <= LARGEST_TOP_UP_MINOR, `must be at most ${LARGEST_TOP_UP_MINOR}`),
  /** Identifies the payment behind the top-up; a repetition is not booked again. The statement shows it. */
  reference: line(200),
});
/** The reply to both. */
export const balanceStanding = z.object({ organisationId, mode, currency, balanceMinor: minorUnits });
export type BalanceStanding = z.infer<typeof balanceStanding>;

/** GET /admin/balances/statement? and its reply: as the organisation's own statement, in longer pages. */
export const adminStatementQuery = withPeriodInOrder(
  z.object({
    ...balanceQuery.shape,
    ...statementPeriod.shape,
    limit: z.coerce.number().pipe(z.int().min(1).max(1_000)).default(100),
  }),
);
/** GET /admin/balances/revenue?: of all organisations, or of one; in a month of UTC, or else in the last 30 days. */
export const revenueQuery = z.object({
  mode,
  organisationId: balanceQuery.shape.organisationId.optional(),
  currency: currency.optional(),
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10')
    .optional(),
});
export const REVENUE_DAYS = 30;
export const revenueReply = z.object({
  mode,
  /** Those in which something was paid or credited in the period. */
  currencies: z.array(
    z.object({
      currency,
      /** All days of the period up to today, the earliest first. Today is not over. */
      days: z.array(
        z.object({
          day: z.iso.date(),
          /** Prices of offers that were paid from the balance, and of those that were paid by card, without VAT. */
          fromBalanceMinor: minorUnits,
          byCardMinor: minorUnits,
          /** Unused Time that was credited. */
          creditedMinor: minorUnits,
        }),
      ),
    }),
  ),
});
export type RevenueReply = z.infer<typeof revenueReply>;

/** GET /admin/balances/threshold? takes a `balanceQuery`, PUT this; the reply is the organisation's own. */
export const lowBalanceOrder = z.object({
  organisationId,
  mode,
  currency: currency.refine(isBilledCurrency, 'is not a billed currency'),
  ...lowBalanceRequest.shape,
});

/** GET /admin/invoices?, with credit notes; the reply is the organisation's own. */
export const adminInvoicesQuery = invoicesQuery.extend({
  organisationId: balanceQuery.shape.organisationId,
  mode,
});
/** GET /admin/invoices/{number}: the facts of any organisation's invoice or credit note. `{number}.pdf` is the document itself. */
export const adminInvoice = invoice.extend({
  organisationId,
  /** As on the document; null while billing does not know the organisation. */
  organisationName: z.string().nullable(),
  cause: z.string().meta({ description: 'Identifies the transaction of the ledger.' }),
});
export type AdminInvoice = z.infer<typeof adminInvoice>;

/** GET /admin/ledger/check */
export const ledgerCheckReply = z.object({
  ok: z.boolean(),
  transactions: z.int().nonnegative(),
  problems: z.array(z.string()),
});
export type LedgerCheckReply = z.infer<typeof ledgerCheckReply>;

/** Who pays the money that the card provider took back: the organisation's prepaid balance, or the platform. */
const bearer = z.enum(['platform', 'balance']);
const settlement = z.object({
  borneBy: bearer,
  reason: z.string(),
  decidedBy: z.string(),
  settledAt: instant,
  /** The provider has returned the money, and the bearer got it back. */
  givenBack: z.boolean(),
});

/** POST /admin/card-problems/settle: a person's decision, one for each refund or dispute; a repetition changes nothing. */
export const settleRequest = z.object({
  id: z.string().min(1).max(200),
  borneBy: bearer,
  reason: line(500),
});
export const settleReply = settlement.extend({
  id: z.string(),
  kind: z.enum(['refund', 'dispute']),
  mode,
  amountMinor: minorUnits,
  currency: z.string(),
});
export type CardSettled = z.infer<typeof settleReply>;

/** GET /admin/card-problems: movements of money at the card provider that a person has to look at, latest first. */
export const cardProblemsQuery = z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) });
export const cardProblemsReply = z.object({
  /** Refunds made at the provider, and disputes. */
  reversals: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['refund', 'dispute']),
      mode,
      amountMinor: minorUnits,
      currency: z.string(),
      /** As the provider names it. */
      status: z.string(),
      reason: z.string().nullable(),
      heardAt: z.string(),
      /** Whether the money was taken, and whether it came back. */
      taken: z.boolean(),
      returned: z.boolean(),
      /** Null while its payment is not known. */
      organisationId: organisationId.nullable(),
      offerId: z.int().nullable(),
      topUpId: z.int().nullable(),
      groupId: z.int().nullable(),
      /** Whether all of it is booked in the ledger. */
      booked: z.boolean(),
      /** Null until a person has decided who bears it. */
      settlement: settlement.nullable(),
    }),
  ),
  /** Offers whose Unused Time was credited although their payment was taken back, until a person has decided who bears it. */
  owed: z.array(
    z.object({
      organisationId,
      offerId: z.int(),
      mode,
      currency: z.string(),
      /** Of the price, on the prepaid balance. */
      creditedMinor: minorUnits,
      /** The part of the credit that is no longer covered by a payment. */
      owedMinor: minorUnits,
    }),
  ),
  /** Payments that could not be applied to any offer or balance. */
  payments: z.array(
    z.object({
      eventId: z.string(),
      mode,
      problem: z.string(),
      heardAt: z.string(),
      sessionId: z.string().nullable(),
      amountMinor: minorUnits.nullable(),
      currency: z.string().nullable(),
      offerId: z.int().nullable(),
      topUpId: z.int().nullable(),
      groupId: z.int().nullable(),
    }),
  ),
});
export type CardProblemsReply = z.infer<typeof cardProblemsReply>;
