/** What the card payment of a top-up does: the net is on the balance, whatever has become of its page meanwhile. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { announceTopUp } from '../balance/balance-events.ts';
import { toppedUpByCard } from '../domain/ledger/card-ledger.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import { book } from '../ledger/ledger-store.ts';

/** Needs the payment's row locked, and gives what its invoice says. */
export async function bookPaidTopUp(tx: Transaction, payment: CardPayment, now: Date) {
  if (payment.purchase.kind !== 'top-up') throw new Error('not a top-up');
  const transaction = toppedUpByCard(payment.book, payment.purchase.topUpId, payment);
  const booking = await book(tx, transaction, now);
  if (!booking.booked) throw new Error(`${transaction.cause}: refused`);
  await announceTopUp(tx, { ...payment, method: 'card' }, booking, now);
  return { ...payment, kind: 'top-up' as const, offerId: null, title: null, cause: transaction.cause };
}
