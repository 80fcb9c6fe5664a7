/** Credits of Unused Time to the prepaid balance: cumulative, net, never above the price (decisions 6 and 30). */
import { BalanceCredited } from '@offer-ads/contracts/billing-events';
import type { UnusedTime } from '@offer-ads/contracts/unused-time';
import { newEvent } from '@offer-ads/platform/events';
import { addToOutbox } from '@offer-ads/platform/outbox';
import type { Transaction } from '@offer-ads/platform/postgres';
import { balanceSubject } from './balance-events.ts';
import { creditDue } from './domain/credit.ts';
import { unusedTimeCredited } from './domain/ledger.ts';
import { type OfferPayment, paidAt } from './domain/offer-payment.ts';
import { book } from './ledger-store.ts';
import { addCredit } from './payments-store.ts';

/** The offer never ran, for example when its payment came too late (decision 7). */
export const whollyUnused: UnusedTime = { unusedMs: 1, scheduledMs: 1 };

/** Needs the payment's row locked. An offer that was never paid is credited nothing. */
export async function creditUnusedTime(
  tx: Transaction,
  payment: OfferPayment,
  unusedTime: UnusedTime,
  now: Date,
): Promise<void> {
  if (paidAt(payment) === null) return;
  const amountMinor = creditDue({ ...payment, unusedTime });
  if (amountMinor === 0n) return;
  const creditedSoFarMinor = payment.creditedMinor + amountMinor;
  const transaction = unusedTimeCredited(payment.book, payment.offerId, { amountMinor, creditedSoFarMinor });
  const booking = await book(tx, transaction, now);
  if (!booking.booked) throw new Error(`${transaction.cause}: a credit was refused`);
  await addCredit(tx, payment.offerId, amountMinor);
  await addToOutbox(tx, [
    newEvent(BalanceCredited, {
      subject: balanceSubject(payment.book),
      subjectVersion: Number(booking.transactionId),
      at: now,
      data: {
        ...payment.book,
        offerId: payment.offerId,
        title: payment.title,
        amountMinor: `${amountMinor}`,
        balanceMinor: `${booking.balance.minor}`,
      },
    }),
  ]);
}
