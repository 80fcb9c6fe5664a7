/** The credit that Unused Time would give now, without posting it. */
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { findOfferPayment } from '../checkouts/payments-store.ts';
import { creditDue, earnedCredit } from '../domain/ledger/credit.ts';
import type { Book } from '../domain/ledger/ledger.ts';
import { isSameBook, paidAt } from '../domain/payments/offer-payment.ts';
import { takenBackOf } from './credit-offer.ts';

/** 0 for an offer that was never paid, or that belongs to another book. */
export async function previewCredit(
  postgres: Postgres,
  offer: { readonly offerId: number; readonly book: Book },
  unusedTime: UnusedTime,
): Promise<bigint> {
  const payment = await findOfferPayment(postgres, offer.offerId);
  if (payment === undefined || !isSameBook(payment.book, offer.book) || paidAt(payment) === null) return 0n;
  const earnedMinor = earnedCredit(payment, unusedTime);
  return creditDue({ ...payment, earnedMinor }, await takenBackOf(postgres, payment));
}
