/**
 * Credits Unused Time (decision 6) to the prepaid balance: cumulative, net (decision 30), never more than the price. Money that the card
 * provider has taken back is not credited (decision 158, credits of money that was kept).
 */
import { BalanceCredited } from '@offer-ads/contracts/events/billing';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { lockOfferPayment, saveCredits } from '../checkouts/payments-store.ts';
import { creditDue, earnedCredit } from '../domain/ledger/credit.ts';
import { unusedTimeCredited } from '../domain/ledger/ledger.ts';
import { type OfferPayment, paidAt, paymentIntentOf } from '../domain/payments/offer-payment.ts';
import { postTransaction } from '../ledger/ledger-store.ts';
import { sumTakenBack } from '../reversals/reversals-store.ts';
import { balanceSubject } from './balance-events.ts';

/** For an offer that never ran, for example because its payment came too late (decision 7, late card payments). */
export const whollyUnused: UnusedTime = { unusedMs: 1, scheduledMs: 1 };

/**
 * The caller has locked the payment's row, because this reads what was taken back: a concurrent return of money either commits before, or
 * sees what this has saved. An offer that was never paid gets no credit.
 */
export async function creditUnusedTime(
  tx: Transaction,
  payment: OfferPayment,
  unusedTime: UnusedTime,
  now: Date,
): Promise<void> {
  await credit(tx, payment, earnedCredit(payment, unusedTime), now);
}

/** For money that the card provider has returned, or that the organisation bore. Locks the payment's row. */
export async function creditWithheld(tx: Transaction, offerId: number, now: Date): Promise<void> {
  const payment = await lockOfferPayment(tx, offerId);
  if (payment !== undefined) await credit(tx, payment, payment.earnedMinor, now);
}

async function credit(tx: Transaction, payment: OfferPayment, earnedMinor: bigint, now: Date): Promise<void> {
  if (paidAt(payment) === null) return;
  const amountMinor = creditDue({ ...payment, earnedMinor }, await takenBackOf(tx, payment));
  const creditedMinor = payment.creditedMinor + amountMinor;
  if (amountMinor === 0n && earnedMinor === payment.earnedMinor) return;
  await saveCredits(tx, payment.offerId, { earnedMinor, creditedMinor });
  if (amountMinor === 0n) return;
  const transaction = unusedTimeCredited(payment.book, payment.offerId, {
    amountMinor,
    creditedSoFarMinor: creditedMinor,
  });
  const posted = await postTransaction(tx, transaction, now);
  if (!posted.ok) throw new Error(`${transaction.cause}: a credit was refused`);
  await addToOutbox(tx, [
    newEvent(BalanceCredited, {
      subject: balanceSubject(payment.book),
      subjectVersion: Number(posted.transactionId),
      at: now,
      data: {
        ...payment.book,
        offerId: payment.offerId,
        title: payment.title,
        amountMinor: `${amountMinor}`,
        balanceMinor: `${posted.balance.minor}`,
      },
    }),
  ]);
}

/** Gross, without the part that the organisation bore from its balance. */
export async function takenBackOf(on: Transaction, payment: OfferPayment): Promise<bigint> {
  const intent = paymentIntentOf(payment);
  return intent === null ? 0n : sumTakenBack(on, intent, payment.book);
}
