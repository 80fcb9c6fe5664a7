/** How one offer is paid, whichever way, and what may become of it. */

import type { Book } from '../ledger/ledger.ts';
import type { CardPayment } from './card-payment.ts';

export type OfferPayment = {
  readonly offerId: number;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly creditedMinor: bigint;
  /** What its Unused Time is worth so far. More than was credited while the card provider has taken the payment back. */
  readonly earnedMinor: bigint;
} & (
  | { readonly method: 'B'; readonly chargedAt: Date }
  | CardPayment
  /** Closed before anything was asked: settled as never charged. */
  | { readonly method: null }
);
export type OfferCardPayment = Extract<OfferPayment, { method: 'E' }>;

export function isOfOffer(payment: OfferCardPayment | CardPayment): payment is OfferCardPayment {
  return payment.purchase.kind === 'offer';
}

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

/** By which refunds and disputes name the payment; only card payments have one, once they are paid. */
export function paymentIntentOf(payment: OfferPayment): string | null {
  return payment.method === 'E' ? payment.paymentIntentId : null;
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
