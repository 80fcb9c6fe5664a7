/** The payment of one offer or of an offer group, by either payment method. */

import type { Spending } from '@offer-ads/contracts/internal/caller-context';
import { type Book, isSameBook } from '../ledger/ledger.ts';
import type { CardPayment, PaymentFacts, Purchase } from './card-payment.ts';

type Priced = { readonly book: Book; readonly title: string; readonly netMinor: bigint };
export type OfferSale = Priced & { readonly offerId: number };
export type GroupOffer = Pick<OfferSale, 'offerId' | 'title' | 'netMinor'>;
/** `netMinor` is the sum of its offers. */
export type GroupSale = Priced & { readonly groupId: number; readonly offers: readonly GroupOffer[] };
export type Sale = OfferSale | GroupSale;
/** A sale with who orders it. */
export type Order<S extends Sale = Sale> = S & { readonly spending: Spending };
/** Names an offer or a group; billing acts on it only if it belongs to this book. */
export type SaleOfBook = Pick<OfferSale, 'offerId' | 'book'> | Pick<GroupSale, 'groupId' | 'book'>;

export function purchaseOf(sale: { readonly offerId: number } | { readonly groupId: number }): Purchase {
  return 'offerId' in sale ? { kind: 'offer', id: sale.offerId } : { kind: 'group', id: sale.groupId };
}

export function isOfGroup(sale: Sale): sale is GroupSale {
  return 'offers' in sale;
}

/** Of an offer, a group or a top-up. */
export type Payment =
  | (PaymentFacts &
      (
        | {
            readonly method: 'B';
            /** Null for an offer of a group that was not paid. */
            readonly chargedAt: Date | null;
          }
        /** Closed before a charge was requested: it can never be charged. */
        | { readonly method: null }
      ))
  | CardPayment;

/** Whether a request for a known id repeats the earlier one. If not, the caller has made an error. */
export function isSameSale(payment: Payment, request: Pick<Sale, 'book' | 'netMinor'>): boolean {
  return isSameBook(payment.book, request.book) && payment.netMinor === request.netMinor;
}

/** The id that refunds and disputes refer to. Only paid card payments have one. */
export function paymentIntentOf(payment: Payment): string | null {
  return payment.method === 'E' ? payment.paymentIntentId : null;
}

/** When the payment was received; null before. */
export function paidAt(payment: Payment): Date | null {
  switch (payment.method) {
    case 'B':
      return payment.chargedAt;
    case 'E':
      return payment.checkout.paidAt;
    case null:
      return null;
  }
}
