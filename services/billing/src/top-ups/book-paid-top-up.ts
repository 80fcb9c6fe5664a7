/** Books the card payment of a top-up: the net goes to the balance, even if the checkout was closed meanwhile. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { announceTopUp } from '../balance/balance-events.ts';
import { toppedUpByCard } from '../domain/ledger/card-ledger.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import { book } from '../ledger/ledger-store.ts';

/** The caller has locked the payment's row. Returns the content of the invoice. */
export async function bookPaidTopUp(tx: Transaction, payment: CardPayment, now: Date) {
  if (payment.purchase.kind !== 'top-up') throw new Error('not a top-up');
  const transaction = toppedUpByCard(payment.book, payment.purchase.topUpId, payment);
  const booking = await book(tx, transaction, now);
  if (!booking.booked) throw new Error(`${transaction.cause}: refused`);
  await announceTopUp(tx, { ...payment, method: 'card' }, booking, now);
  return { ...payment, kind: 'top-up' as const, offerId: null, title: null, cause: transaction.cause };
}
