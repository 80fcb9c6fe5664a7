/**
 * The key and version of a balance in events. The version is the number of the latest ledger transaction, which grows with every post.
 */
import { BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import type { Posted } from '../ledger/ledger-store.ts';

export function balanceSubject({ organisationId, mode, currency }: Book): string {
  return `balance/${organisationId}/${mode}/${currency}`;
}

type AnnouncedTopUp = {
  readonly book: Book;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly method: 'card' | 'platform';
};

export async function announceTopUp(
  tx: Transaction,
  topUp: AnnouncedTopUp,
  { transactionId, balance }: Posted,
  at: Date,
): Promise<void> {
  await addToOutbox(tx, [
    newEvent(BalanceToppedUp, {
      subject: balanceSubject(topUp.book),
      subjectVersion: Number(transactionId),
      at,
      data: {
        ...topUp.book,
        balanceMinor: `${balance.minor}`,
        netMinor: `${topUp.netMinor}`,
        vatMinor: `${topUp.vatMinor}`,
        method: topUp.method,
      },
    }),
  ]);
}
