/** Prepaid balance added by the platform team, once per reference. */
import { BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { type Book, balanceToppedUp } from '../domain/ledger/ledger.ts';
import {
  announceBalance,
  balanceOf,
  compareWithPosted,
  lockPostings,
  postOrThrow,
} from '../ledger/ledger-store.ts';

export type TopUpResult =
  | { readonly ok: true; readonly balanceMinor: bigint }
  /** The reference was used for another organisation, balance or amount. */
  | { readonly ok: false; readonly reason: 'reference-taken' };

export async function topUpBalance(
  postgres: Postgres,
  topUp: { readonly book: Book; readonly amountMinor: bigint; readonly reference: string },
  now: Date,
  deadline?: Deadline,
): Promise<TopUpResult> {
  const { book, amountMinor } = topUp;
  const transaction = balanceToppedUp(book, topUp.reference, amountMinor);
  return postgres.transaction(async (tx) => {
    await lockPostings(tx, transaction.cause);
    const earlier = await compareWithPosted(tx, transaction);
    if (earlier === 'different') return { ok: false, reason: 'reference-taken' };
    if (earlier === 'same') return { ok: true, balanceMinor: await balanceOf(tx, book) };
    const posted = await postOrThrow(tx, transaction, now);
    const facts = { netMinor: `${amountMinor}`, vatMinor: '0', method: 'platform' } as const;
    await announceBalance(tx, BalanceToppedUp, { book, posted, at: now }, facts);
    return { ok: true, balanceMinor: posted.balanceMinor };
  }, deadline);
}
