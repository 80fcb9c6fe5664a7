/**
 * Credits Unused Time (decision 6, Unused Time) to the prepaid balance: cumulative, net (decision 30, credits are net), never more than the
 * price. Money that the card provider has taken back is not credited (decision 158, credits of money that was kept).
 */
import { BalanceCredited } from '@offer-ads/contracts/events/billing';
import { sum } from '@offer-ads/contracts/values/sum';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { creditDue, earnedCredit } from '../domain/ledger/credit.ts';
import { isSameBook, unusedTimeCredited } from '../domain/ledger/ledger.ts';
import { purchaseName } from '../domain/payments/card-payment.ts';
import {
  type OfferSale,
  type Payment,
  paidAt,
  paymentIntentOf,
  purchaseOf,
} from '../domain/payments/offer-payment.ts';
import { announceBalance, type Posted, postOrThrow } from '../ledger/ledger-store.ts';
import { findPayment, lockPayment, saveCredits } from '../payments/payments-store.ts';
import { sumTakenBack } from '../reversals/reversals-store.ts';

/** For an offer that never ran, for example because its payment came too late (decision 7, late card payments). */
export const whollyUnused: UnusedTime = { unusedMs: 1, scheduledMs: 1 };

/**
 * The caller has locked the payment's row, because this reads what was taken back: a concurrent return of money either commits before, or
 * sees what this has saved. An offer that was never paid gets no credit.
 */
export async function creditUnusedTime(
  tx: Transaction,
  payment: Payment,
  unusedTime: UnusedTime,
  now: Date,
): Promise<void> {
  await announce(tx, [await credit(tx, payment, earnedCredit(payment, unusedTime), now)], now);
}

export type OfferGroup = { readonly groupId: number; readonly title: string };

/** The same for offers of a group that ended or were deleted together; each event says what all were credited. */
export async function creditTogether(
  tx: Transaction,
  offers: readonly { readonly payment: Payment; readonly unusedTime: UnusedTime }[],
  group: (OfferGroup & { readonly creditId: string }) | undefined,
  now: Date,
): Promise<void> {
  const credits: (Credit | null)[] = [];
  for (const { payment, unusedTime } of offers)
    credits.push(await credit(tx, payment, earnedCredit(payment, unusedTime), now));
  await announce(tx, credits, now, group);
}

/** For money that the card provider has returned, or that the organisation bore. Locks the payment's row. */
export async function creditWithheld(tx: Transaction, offerId: number, now: Date): Promise<void> {
  const payment = await lockPayment(tx, purchaseOf({ offerId }));
  if (payment !== undefined) await announce(tx, [await credit(tx, payment, payment.earnedMinor, now)], now);
}

/** The credit that Unused Time would give now, and what was credited before. 0 for an offer that was never paid, or that belongs to another book. */
export async function previewCredit(
  on: Queryable,
  offer: Pick<OfferSale, 'offerId' | 'book'>,
  unusedTime: UnusedTime,
): Promise<{ readonly creditMinor: bigint; readonly creditedMinor: bigint }> {
  const payment = await findPayment(on, purchaseOf(offer));
  if (payment === undefined || !isSameBook(payment.book, offer.book) || paidAt(payment) === null)
    return { creditMinor: 0n, creditedMinor: 0n };
  const creditMinor = await creditDueNow(on, payment, earnedCredit(payment, unusedTime));
  return { creditMinor, creditedMinor: payment.creditedMinor };
}

type Credit = { readonly payment: Payment; readonly amountMinor: bigint; readonly posted: Posted };

/** @returns null if nothing was credited */
async function credit(
  tx: Transaction,
  payment: Payment,
  earnedMinor: bigint,
  now: Date,
): Promise<Credit | null> {
  if (paidAt(payment) === null) return null;
  const { book, purchase } = payment;
  if (purchase.kind !== 'offer')
    throw new Error(`unused time of ${purchaseName(purchase)} instead of an offer`);
  const amountMinor = await creditDueNow(tx, payment, earnedMinor);
  const creditedMinor = payment.creditedMinor + amountMinor;
  if (amountMinor === 0n && earnedMinor === payment.earnedMinor) return null;
  await saveCredits(tx, purchase.id, { earnedMinor, creditedMinor });
  if (amountMinor === 0n) return null;
  const amounts = { amountMinor, creditedSoFarMinor: creditedMinor };
  const posted = await postOrThrow(tx, unusedTimeCredited(book, purchase.id, amounts), now);
  return { payment, amountMinor, posted };
}

async function announce(
  tx: Transaction,
  credits: readonly (Credit | null)[],
  at: Date,
  group?: OfferGroup & { readonly creditId: string },
): Promise<void> {
  const made = credits.filter((one) => one !== null);
  const last = made.at(-1);
  const ofGroup =
    group === undefined || last === undefined || made.length === 1
      ? {}
      : {
          group: {
            groupId: group.groupId,
            title: group.title,
            creditId: group.creditId,
            amountMinor: `${sum(made.map(({ amountMinor }) => amountMinor))}`,
            balanceMinor: `${last.posted.balanceMinor}`,
          },
        };
  for (const { payment, amountMinor, posted } of made) {
    const { book, purchase, title } = payment;
    const facts = { offerId: purchase.id, title, amountMinor: `${amountMinor}`, ...ofGroup };
    await announceBalance(tx, BalanceCredited, { book, posted, at }, facts);
  }
}

async function creditDueNow(on: Queryable, payment: Payment, earnedMinor: bigint): Promise<bigint> {
  const intent = paymentIntentOf(payment);
  // Gross, without the part that the organisation bore from its balance.
  const takenBackMinor = intent === null ? 0n : await sumTakenBack(on, intent, payment.book);
  return creditDue({ ...payment, earnedMinor }, takenBackMinor);
}
