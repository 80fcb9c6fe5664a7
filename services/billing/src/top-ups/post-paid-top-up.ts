/** Posts the card payment of a top-up: the net goes to the balance, even if the checkout was closed meanwhile. */
import { BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { announceBalance } from '../balance/balance-events.ts';
import { toppedUpByCard } from '../domain/ledger/card-ledger.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import { postOrThrow } from '../ledger/ledger-store.ts';

/** The caller has locked the payment's row. Returns the content of the invoice. */
export async function postPaidTopUp(tx: Transaction, payment: CardPayment, now: Date) {
  if (payment.purchase.kind !== 'top-up') throw new Error('not a top-up');
  const transaction = toppedUpByCard(payment.book, payment.purchase.topUpId, payment);
  const posted = await postOrThrow(tx, transaction, now);
  const facts = { netMinor: `${payment.netMinor}`, vatMinor: `${payment.vatMinor}`, method: 'card' } as const;
  await announceBalance(tx, BalanceToppedUp, { book: payment.book, posted, at: now }, facts);
  return { ...payment, kind: 'top-up' as const, offerId: null, title: null, cause: transaction.cause };
}
