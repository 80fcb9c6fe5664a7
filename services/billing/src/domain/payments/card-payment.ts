/** A card payment of an offer, an offer group or a top-up. They differ only in what is done after the payment. */

import type { Book } from '../ledger/ledger.ts';
import type { Checkout } from './checkout.ts';

/** The thing that is paid for. */
export type Purchase = { readonly kind: 'offer' | 'group' | 'top-up'; readonly id: number };

/** What payments of both methods have. */
export type PaymentFacts = {
  readonly purchase: Purchase;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  /** Of an offer: the group with which it is paid. */
  readonly groupId: number | null;
  /** Only offers are credited. */
  readonly creditedMinor: bigint;
  /** What the Unused Time is worth so far. More than the sum credited if the card provider has taken the payment back. */
  readonly earnedMinor: bigint;
};

export type CardPayment = PaymentFacts & {
  /** The specification's `payment_method`: `E` is by card, `B` is from the prepaid balance. */
  readonly method: 'E';
  readonly payToken: string;
  readonly checkout: Checkout;
  readonly paidSessionId: string | null;
  /** Stripe's refunds and disputes refer to the payment by this id; null until it is paid. */
  readonly paymentIntentId: string | null;
};

/** The name used in logs, faults and idempotency keys. */
export function purchaseName({ kind, id }: Purchase): string {
  return `${kind} ${id}`;
}

/** What Stripe reports as paid for a session, by webhook or in answer to a request. */
export type Receipt = {
  readonly sessionId: string;
  /** Stripe's refunds and disputes refer to the payment by this id. */
  readonly paymentIntentId: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly mode: Book['mode'];
  /** From the session's metadata, which billing wrote itself. */
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

/** Whether the session belongs to the organisation and mode of the payment in its metadata. */
export function isOfBook({ book }: { readonly book: Book }, receipt: Receipt): boolean {
  return book.organisationId === receipt.organisationId && book.mode === receipt.mode;
}

/**
 * Whether the session is the one on record, if there is one. Another system with the same Stripe account, such as a developer's, may have made a
 * session for the same ids.
 * @param earlier the session on record of the receipt's generation, if that is not the latest generation: no payer was sent to any other session
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
 * Why a receipt does not match its payment. Such a receipt is stored for a person to look at and never applied.
 * @param earlier see `isKnownSession`
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
