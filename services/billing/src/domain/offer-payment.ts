/** How one offer is paid, whichever way, and what may become of it. */
import type { Checkout } from './checkout.ts';
import type { Book } from './ledger.ts';

export type OfferPayment = {
  readonly offerId: number;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly creditedMinor: bigint;
} & (
  | { readonly method: 'B'; readonly chargedAt: Date }
  | {
      readonly method: 'E';
      readonly payToken: string;
      readonly checkout: Checkout;
      readonly paidSessionId: string | null;
    }
  /** Closed before anything was asked: settled as never charged. */
  | { readonly method: null }
);
export type CardPayment = Extract<OfferPayment, { method: 'E' }>;

/** Whether a request that names a known offer id repeats the one before; anything else is a fault of the caller. */
export function isSameSale(
  payment: OfferPayment,
  request: { readonly book: Book; readonly netMinor: bigint },
): boolean {
  return isSameBook(payment.book, request.book) && payment.netMinor === request.netMinor;
}

export function isSameBook(one: Book, other: Book): boolean {
  return (
    one.organisationId === other.organisationId && one.mode === other.mode && one.currency === other.currency
  );
}

/** When the money came; null while it has not. */
export function paidAt(payment: OfferPayment): Date | null {
  switch (payment.method) {
    case 'B':
      return payment.chargedAt;
    case 'E':
      return payment.checkout.paidAt;
    case null:
      return null;
  }
}

/** What Stripe says was paid: of a session, by its webhook or when asked. */
export type Receipt = {
  readonly sessionId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly mode: Book['mode'];
  /** From the session's metadata, which billing itself wrote. */
  readonly offerId: number;
  readonly organisationId: number;
  readonly generation: number;
};

export type ReceiptProblem =
  | 'unknown-offer'
  | 'not-by-card'
  | 'other-organisation'
  | 'unknown-session'
  | 'wrong-amount'
  | 'paid-twice';

/** Whether a session belongs to the organisation and mode of the payment that it names. */
export function isOfBook(payment: OfferPayment, receipt: Receipt): boolean {
  return payment.book.organisationId === receipt.organisationId && payment.book.mode === receipt.mode;
}

/** Why a receipt cannot be taken for the payment of its offer; it is kept and looked at by a person, never applied. */
export function receiptProblem(payment: OfferPayment | undefined, receipt: Receipt): ReceiptProblem | null {
  if (payment === undefined) return 'unknown-offer';
  if (payment.method !== 'E') return 'not-by-card';
  const { book, checkout } = payment;
  if (!isOfBook(payment, receipt)) return 'other-organisation';
  const { session } = checkout;
  if (receipt.generation > session.generation) return 'unknown-session';
  const isLatest = receipt.generation === session.generation;
  if (isLatest && session.sessionId !== null && session.sessionId !== receipt.sessionId)
    return 'unknown-session';
  const total = payment.netMinor + payment.vatMinor;
  if (receipt.amountMinor !== total || receipt.currency !== book.currency) return 'wrong-amount';
  if (payment.paidSessionId !== null && payment.paidSessionId !== receipt.sessionId) return 'paid-twice';
  return null;
}
