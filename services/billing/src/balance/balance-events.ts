/** Events about a balance, and its key in them. */
import type { BalanceCredited, BalanceLow, BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import type { Posted } from '../ledger/ledger-store.ts';

type BalanceEvent = typeof BalanceCredited | typeof BalanceLow | typeof BalanceToppedUp;

export function balanceSubject({ organisationId, mode, currency }: Book): string {
  return `balance/${organisationId}/${mode}/${currency}`;
}

/** The event's version is the number of the ledger transaction, which grows with every post. */
export async function announceBalance<E extends BalanceEvent>(
  tx: Transaction,
  event: E,
  { book, posted, at }: { readonly book: Book; readonly posted: Posted; readonly at: Date },
  facts: Omit<EventData<E>, keyof Book | 'balanceMinor'>,
): Promise<void> {
  await addToOutbox(tx, [
    newEvent(event, {
      subject: balanceSubject(book),
      subjectVersion: Number(posted.transactionId),
      at,
      data: { ...book, balanceMinor: `${posted.balance.minor}`, ...facts } as EventData<E>,
    }),
  ]);
}
