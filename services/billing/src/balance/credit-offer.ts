/**
 * Credits Unused Time (decision 6, Unused Time) to the prepaid balance: cumulative, net (decision 30, credits are net), never more than the
 * price. Money that the card provider has taken back is not credited (decision 158, credits of money that was kept).
 */
import { BalanceCredited } from '@offer-ads/contracts/events/billing';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { creditDue, earnedCredit } from '../domain/ledger/credit.ts';
import { isSameBook, unusedTimeCredited } from '../domain/ledger/ledger.ts';
import {
  type OfferPayment,
  type OfferSale,
  paidAt,
  paymentIntentOf,
} from '../domain/payments/offer-payment.ts';
import { announceBalance, postOrThrow } from '../ledger/ledger-store.ts';
import { findOfferPayment, lockOfferPayment, saveCredits } from '../payments/payments-store.ts';
import { sumTakenBack } from '../reversals/reversals-store.ts';

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

/** The credit that Unused Time would give now, and what was credited before. 0 for an offer that was never paid, or that belongs to another book. */
export async function previewCredit(
  on: Queryable,
  offer: Pick<OfferSale, 'offerId' | 'book'>,
  unusedTime: UnusedTime,
): Promise<{ readonly creditMinor: bigint; readonly creditedMinor: bigint }> {
  const payment = await findOfferPayment(on, offer.offerId);
  if (payment === undefined || !isSameBook(payment.book, offer.book) || paidAt(payment) === null)
    return { creditMinor: 0n, creditedMinor: 0n };
  const creditMinor = await creditDueNow(on, payment, earnedCredit(payment, unusedTime));
  return { creditMinor, creditedMinor: payment.creditedMinor };
}

async function credit(tx: Transaction, payment: OfferPayment, earnedMinor: bigint, now: Date): Promise<void> {
  if (paidAt(payment) === null) return;
  const { book, offerId, title } = payment;
  const amountMinor = await creditDueNow(tx, payment, earnedMinor);
  const creditedMinor = payment.creditedMinor + amountMinor;
  if (amountMinor === 0n && earnedMinor === payment.earnedMinor) return;
  await saveCredits(tx, offerId, { earnedMinor, creditedMinor });
  if (amountMinor === 0n) return;
  const amounts = { amountMinor, creditedSoFarMinor: creditedMinor };
  const posted = await postOrThrow(tx, unusedTimeCredited(book, offerId, amounts), now);
  const facts = { offerId, title, amountMinor: `${amountMinor}` };
  await announceBalance(tx, BalanceCredited, { book, posted, at: now }, facts);
}

async function creditDueNow(on: Queryable, payment: OfferPayment, earnedMinor: bigint): Promise<bigint> {
  const intent = paymentIntentOf(payment);
  // Gross, without the part that the organisation bore from its balance.
  const takenBackMinor = intent === null ? 0n : await sumTakenBack(on, intent, payment.book);
  return creditDue({ ...payment, earnedMinor }, takenBackMinor);
}
