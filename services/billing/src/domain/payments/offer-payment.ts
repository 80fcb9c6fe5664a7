/** The payment of one offer, by either payment method. */

import type { Spending } from '@offer-ads/contracts/internal/caller-context';
import { type Book, isSameBook } from '../ledger/ledger.ts';
import type { CardPayment } from './card-payment.ts';

/** An offer as it is sold. */
export type Sale = {
  readonly offerId: number;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
};
/** A sale with who orders it. */
export type Order = Sale & { readonly spending: Spending };
/** Names an offer; billing acts on it only if the offer belongs to this book. */
export type OfferOfBook = Pick<Sale, 'offerId' | 'book'>;

export type OfferPayment = Sale & {
  readonly vatMinor: bigint;
  readonly creditedMinor: bigint;
  /** What the Unused Time is worth so far. More than the sum credited if the card provider has taken the payment back. */
  readonly earnedMinor: bigint;
} & (
    | { readonly method: 'B'; readonly chargedAt: Date }
    | CardPayment
    /** Closed before a charge was requested: it can never be charged. */
    | { readonly method: null }
  );
/** Of an offer or of a top-up. */
export type Payment = OfferPayment | CardPayment;
export type OfferCardPayment = Extract<OfferPayment, { method: 'E' }>;

export function isOfOffer(payment: OfferCardPayment | CardPayment): payment is OfferCardPayment {
  return payment.purchase.kind === 'offer';
}

/** Whether a request for a known offer id repeats the earlier one. If not, the caller has made an error. */
export function isSameSale(payment: OfferPayment, request: Pick<Sale, 'book' | 'netMinor'>): boolean {
  return isSameBook(payment.book, request.book) && payment.netMinor === request.netMinor;
}

/** The id that refunds and disputes refer to. Only paid card payments have one. */
export function paymentIntentOf(payment: OfferPayment): string | null {
  return payment.method === 'E' ? payment.paymentIntentId : null;
}

/** When the payment was received; null before. */
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
