/** The low-balance threshold of an organisation, and the notice when the balance falls below it. */

import { BalanceLow } from '@offer-ads/contracts/events/billing';
import type { LowBalanceReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import { fallsBelow, isLow } from '../domain/ledger/low-balance.ts';
import { type Balance, balanceStanding, type Posted, setLowThreshold } from '../ledger/ledger-store.ts';
import { balanceSubject } from './balance-events.ts';

/** Called in the transaction of every posting that takes from a balance. */
export async function announceLowBalance(
  tx: Transaction,
  { book, changeMinor }: { readonly book: Book; readonly changeMinor: bigint },
  { balance, transactionId }: Posted,
  now: Date,
): Promise<void> {
  const crossing = { beforeMinor: balance.minor - changeMinor, afterMinor: balance.minor };
  if (!fallsBelow(balance.lowThresholdMinor, crossing)) return;
  await addToOutbox(tx, [
    newEvent(BalanceLow, {
      subject: balanceSubject(book),
      subjectVersion: Number(transactionId),
      at: now,
      data: { ...book, balanceMinor: `${balance.minor}`, thresholdMinor: `${balance.lowThresholdMinor}` },
    }),
  ]);
}

export async function readLowBalance(postgres: Postgres, book: Book): Promise<LowBalanceReply> {
  return replyOf(book, await balanceStanding(postgres, book));
}

/** Null switches the notice off. Waits for running bookings, so that each of them uses either the old or the new threshold. */
export async function changeLowBalance(
  postgres: Postgres,
  book: Book,
  thresholdMinor: bigint | null,
  deadline?: Deadline,
): Promise<LowBalanceReply> {
  const set = (tx: Transaction) => setLowThreshold(tx, book, thresholdMinor);
  return replyOf(book, await postgres.transaction(set, deadline));
}

function replyOf({ mode, currency }: Book, { minor, lowThresholdMinor }: Balance): LowBalanceReply {
  return {
    mode,
    currency,
    thresholdMinor: lowThresholdMinor === null ? null : `${lowThresholdMinor}`,
    balanceMinor: `${minor}`,
    isLow: isLow(lowThresholdMinor, minor),
  };
}
