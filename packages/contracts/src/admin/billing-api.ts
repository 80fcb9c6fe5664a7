/** The internal admin routes of billing: balances, statements, invoices, the ledger, and what the card provider did (admin-api.ts says what holds for all of them). */

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
/** Typed by hand, and never taken back: far above what anybody pays, and far below what a balance can hold. */
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
  /** Names the payment behind the top-up; sent again, it is not booked again. It stands on the statement. */
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
/** GET /admin/balances/threshold? takes a `balanceQuery`, PUT this; the reply is the organisation's own. */
export const lowBalanceOrder = z.object({
  organisationId,
  mode,
  currency: currency.refine(isBilledCurrency, 'is not a billed currency'),
  ...lowBalanceRequest.shape,
});

/** GET /admin/invoices?; the reply is the organisation's own. */
export const adminInvoicesQuery = invoicesQuery.extend({
  organisationId: balanceQuery.shape.organisationId,
  mode,
});
/** GET /admin/invoices/{number}: the facts of any organisation's. */
export const adminInvoice = invoice.extend({
  organisationId,
  /** As the document names it; null while billing has not heard of the organisation. */
  organisationName: z.string().nullable(),
  cause: z.string().meta({ description: 'Names the transaction of the ledger.' }),
});
export type AdminInvoice = z.infer<typeof adminInvoice>;

/** GET /admin/ledger/check */
export const ledgerCheckReply = z.object({
  ok: z.boolean(),
  transactions: z.int().nonnegative(),
  problems: z.array(z.string()),
});
export type LedgerCheckReply = z.infer<typeof ledgerCheckReply>;

/** Who bears what the card provider took back: the organisation's prepaid balance, or the platform. */
const bearer = z.enum(['platform', 'balance']);
const settlement = z.object({
  borneBy: bearer,
  reason: z.string(),
  decidedBy: z.string(),
  settledAt: instant,
  /** The provider has returned the money since, and whoever bore it got it back. */
  givenBack: z.boolean(),
});

/** POST /admin/card-problems/settle: a person's decision, one for each refund or dispute; the same again is the first. */
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

/** GET /admin/card-problems: what the card provider did with money and a person has to look at, the latest first. */
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
      /** The provider's words. */
      status: z.string(),
      reason: z.string().nullable(),
      heardAt: z.string(),
      /** Whether the money has left, and whether it has come back. */
      taken: z.boolean(),
      returned: z.boolean(),
      /** Null while the payment that it is of is not known. */
      organisationId: organisationId.nullable(),
      offerId: z.int().nullable(),
      topUpId: z.int().nullable(),
      /** Whether the ledger has all of it. */
      booked: z.boolean(),
      /** Null while nobody has decided who bears it. */
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
      /** The part of it that nobody has paid any more. */
      owedMinor: minorUnits,
    }),
  ),
  /** Payments that could not be applied: money arrived that is nobody's. */
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
    }),
  ),
});
export type CardProblemsReply = z.infer<typeof cardProblemsReply>;
