/** Adds play money to a TEST balance at once, once per idempotency key; a refusal leaves nothing behind and frees the key. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import { type PlayMoneyRefusal, playMoneyAdded, playMoneyProblem } from '../domain/ledger/play-money.ts';
import { isSameBook } from '../domain/payments/offer-payment.ts';
import { balanceOf, book, findByCause, lockCause } from '../ledger/ledger-store.ts';

export type PlayMoneyOrder = {
  readonly book: Book;
  readonly idempotencyKey: string;
  readonly amountMinor: bigint;
};
export type PlayMoneyOutcome =
  | { readonly ok: true; readonly balanceMinor: bigint }
  | { readonly ok: false; readonly refusal: PlayMoneyRefusal | { readonly reason: 'different-payload' } };

/** No event tells of it: whoever asked sees the balance in the reply, and mails are about real money. */
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
    // One after the other for an organisation, so that two at once cannot pass the most that a balance may have.
    await lockCause(tx, `play money ${order.book.organisationId}`);
    const before = await findByCause(tx, transaction.cause);
    const balanceMinor = await balanceOf(tx, order.book);
    if (before !== undefined) {
      const isRepeat = isSameBook(before.book, order.book) && before.balanceChangeMinor === amountMinor;
      return isRepeat ? { ok: true, balanceMinor } : { ok: false, refusal: { reason: 'different-payload' } };
    }
    const problem = playMoneyProblem({ book: order.book, amountMinor, balanceMinor });
    if (problem !== null) return { ok: false, refusal: problem };
    const booking = await book(tx, transaction, now);
    if (!booking.booked) throw new Error(`${transaction.cause}: refused`);
    return { ok: true, balanceMinor: booking.balance.minor };
  }, deadline);
}
