/** A payment by card, of an offer or of a top-up: the two differ only in what is done once it is paid. */

import type { Book } from '../ledger/ledger.ts';
import type { Checkout } from './checkout.ts';

/** What is paid for. */
export type Purchase =
  | { readonly kind: 'offer'; readonly offerId: number }
  | { readonly kind: 'top-up'; readonly topUpId: number };

export type CardPayment = {
  readonly method: 'E';
  readonly purchase: Purchase;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly payToken: string;
  readonly checkout: Checkout;
  readonly paidSessionId: string | null;
  /** By which Stripe's refunds and disputes name the payment; null while it is not paid. */
  readonly paymentIntentId: string | null;
};

/** As logs, faults and idempotency keys name it. */
export function purchaseName(purchase: Purchase): string {
  return purchase.kind === 'offer' ? `offer ${purchase.offerId}` : `top-up ${purchase.topUpId}`;
}

/** What Stripe says was paid: of a session, by its webhook or when asked. */
export type Receipt = {
  readonly sessionId: string;
  /** By which Stripe's refunds and disputes name the payment. */
  readonly paymentIntentId: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly mode: Book['mode'];
  /** From the session's metadata, which billing itself wrote. */
  readonly purchase: Purchase;
  readonly organisationId: number;
  readonly generation: number;
};

export const receiptProblems = [
  'unknown-purchase',
  'not-by-card',
  'other-organisation',
  'unknown-session',
  'wrong-amount',
  'paid-twice',
] as const;
export type ReceiptProblem = (typeof receiptProblems)[number];

/** Whether a session belongs to the organisation and mode of the payment that it names. */
export function isOfBook({ book }: { readonly book: Book }, receipt: Receipt): boolean {
  return book.organisationId === receipt.organisationId && book.mode === receipt.mode;
}

/**
 * Whether a session is the one on record, as far as there is one. Another system that uses the same account of the provider, such as
 * one of a developer, may have made another for the same numbers.
 * @param earlier the session on record of the receipt's generation, when that is not the latest: payers were led to no other
 */
export function isKnownSession(
  { checkout }: { readonly checkout: Checkout },
  receipt: Receipt,
  earlier: string | null,
): boolean {
  const { generation, sessionId } = checkout.session;
  if (receipt.generation < generation) return receipt.sessionId === earlier;
  return receipt.generation === generation && (sessionId === null || receipt.sessionId === sessionId);
}

/**
 * Why a receipt cannot be taken for the payment that it names; it is kept and looked at by a person, never applied.
 * @param earlier as of `isKnownSession`
 */
export function receiptProblem(
  payment: CardPayment | { readonly method: 'B' | null } | undefined,
  receipt: Receipt,
  earlier: string | null = null,
): ReceiptProblem | null {
  if (payment === undefined) return 'unknown-purchase';
  if (payment.method !== 'E') return 'not-by-card';
  const { book } = payment;
  if (!isOfBook(payment, receipt)) return 'other-organisation';
  if (!isKnownSession(payment, receipt, earlier)) return 'unknown-session';
  const total = payment.netMinor + payment.vatMinor;
  if (receipt.amountMinor !== total || receipt.currency !== book.currency) return 'wrong-amount';
  if (payment.paidSessionId !== null && payment.paidSessionId !== receipt.sessionId) return 'paid-twice';
  return null;
}
