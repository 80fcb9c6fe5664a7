/** Adds play money to a TEST balance, once per idempotency key. A refusal stores nothing, so the key can be used again. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import { type PlayMoneyRefusal, playMoneyAdded, playMoneyProblem } from '../domain/ledger/play-money.ts';
import { isSameBook } from '../domain/payments/offer-payment.ts';
import { balanceOf, findByCause, lockCause, postTransaction } from '../ledger/ledger-store.ts';

export type PlayMoneyOrder = {
  readonly book: Book;
  readonly idempotencyKey: string;
  readonly amountMinor: bigint;
};
export type PlayMoneyOutcome =
  | { readonly ok: true; readonly balanceMinor: bigint }
  | { readonly ok: false; readonly refusal: PlayMoneyRefusal | { readonly reason: 'different-payload' } };

/** Publishes no event: the caller gets the balance in the reply, and mails are about real money only. */
export async function addPlayMoney(
  postgres: Postgres,
  order: PlayMoneyOrder,
  now: Date,
  deadline?: Deadline,
): Promise<PlayMoneyOutcome> {
  const { amountMinor } = order;
  if (order.book.mode !== 'TEST') return { ok: false, refusal: { reason: 'not-test-mode' } };
  const transaction = playMoneyAdded(order.book, order.idempotencyKey, amountMinor);
  return postgres.transaction(async (tx) => {
    // One at a time per organisation, so that two concurrent additions cannot exceed the maximum balance.
    await lockCause(tx, `play money ${order.book.organisationId}`);
    const before = await findByCause(tx, transaction.cause);
    const balanceMinor = await balanceOf(tx, order.book);
    if (before !== undefined) {
      const isRepeat = isSameBook(before.book, order.book) && before.balanceChangeMinor === amountMinor;
      return isRepeat ? { ok: true, balanceMinor } : { ok: false, refusal: { reason: 'different-payload' } };
    }
    const problem = playMoneyProblem({ book: order.book, amountMinor, balanceMinor });
    if (problem !== null) return { ok: false, refusal: problem };
    const posted = await postTransaction(tx, transaction, now);
    if (!posted.ok) throw new Error(`${transaction.cause}: refused`);
    return { ok: true, balanceMinor: posted.balance.minor };
  }, deadline);
}
