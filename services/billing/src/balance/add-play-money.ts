/** Adds play money to a TEST balance, once per idempotency key. A refusal stores nothing, so the key can be used again. */
import type { Refused } from '@offer-ads/contracts/values/refused';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import { type PlayMoneyRefusal, playMoneyAdded, playMoneyProblem } from '../domain/ledger/play-money.ts';
import { balanceOf, compareWithPosted, lockPostings, postOrThrow } from '../ledger/ledger-store.ts';

export type PlayMoneyOutcome =
  | { readonly ok: true; readonly balanceMinor: bigint }
  | Refused<PlayMoneyRefusal | { readonly reason: 'different-payload' }>;

/** Publishes no event: the caller gets the balance in the reply, and mails are about real money only. */
export async function addPlayMoney(
  postgres: Postgres,
  order: { readonly book: Book; readonly idempotencyKey: string; readonly amountMinor: bigint },
  now: Date,
  deadline?: Deadline,
): Promise<PlayMoneyOutcome> {
  const { book, amountMinor } = order;
  if (book.mode !== 'TEST') return { ok: false, reason: 'not-test-mode' };
  const transaction = playMoneyAdded(book, order.idempotencyKey, amountMinor);
  return postgres.transaction(async (tx) => {
    // One at a time per organisation, so that two concurrent additions cannot exceed the maximum balance.
    await lockPostings(tx, `play money ${book.organisationId}`);
    const earlier = await compareWithPosted(tx, transaction);
    if (earlier === 'different') return { ok: false, reason: 'different-payload' };
    const balanceMinor = await balanceOf(tx, book);
    if (earlier === 'same') return { ok: true, balanceMinor };
    const problem = playMoneyProblem({ book, amountMinor, balanceMinor });
    if (problem !== null) return { ok: false, ...problem };
    return { ok: true, balanceMinor: (await postOrThrow(tx, transaction, now)).balanceMinor };
  }, deadline);
}
