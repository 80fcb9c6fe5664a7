/** Prepaid balance added by the platform team, once per reference. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { type Book, balanceToppedUp } from '../domain/ledger/ledger.ts';
import { isSameBook } from '../domain/payments/offer-payment.ts';
import { balanceOf, findByCause, lockCause, postTransaction } from '../ledger/ledger-store.ts';
import { announceTopUp } from './balance-events.ts';

export type TopUp = { readonly book: Book; readonly amountMinor: bigint; readonly reference: string };
export type TopUpResult =
  | { readonly ok: true; readonly balanceMinor: bigint }
  /** The reference was used for another organisation, balance or amount. */
  | { readonly ok: false; readonly reason: 'reference-taken' };

export async function topUpBalance(
  postgres: Postgres,
  topUp: TopUp,
  now: Date,
  deadline?: Deadline,
): Promise<TopUpResult> {
  const transaction = balanceToppedUp(topUp.book, topUp.reference, topUp.amountMinor);
  return postgres.transaction(async (tx) => {
    await lockCause(tx, transaction.cause);
    const before = await findByCause(tx, transaction.cause);
    if (before === undefined) {
      const posted = await postTransaction(tx, transaction, now);
      if (!posted.ok) throw new Error(`${transaction.cause}: refused`);
      const added = { book: topUp.book, netMinor: topUp.amountMinor, vatMinor: 0n };
      await announceTopUp(tx, { ...added, method: 'platform' }, posted, now);
      return { ok: true, balanceMinor: posted.balance.minor };
    }
    const isRepeat = isSameBook(before.book, topUp.book) && before.balanceChangeMinor === topUp.amountMinor;
    if (!isRepeat) return { ok: false, reason: 'reference-taken' };
    return { ok: true, balanceMinor: await balanceOf(tx, topUp.book) };
  }, deadline);
}
