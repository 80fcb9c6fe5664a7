/** The low-balance threshold of an organisation, and the notice when the balance falls below it. */
import { BalanceLow } from '@offer-ads/contracts/events/billing';
import type { LowBalanceReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import { type Book, balanceChange, type LedgerTransaction } from '../domain/ledger/ledger.ts';
import { fallsBelow, isLow } from '../domain/ledger/low-balance.ts';
import { type Balance, findBalance, type Posted, setLowThreshold } from '../ledger/ledger-store.ts';
import { announceBalance } from './balance-events.ts';

/** Call it after every posting that can take from a balance, in the same database transaction. */
export async function announceLowBalance(
  tx: Transaction,
  transaction: LedgerTransaction,
  posted: Posted,
  at: Date,
): Promise<void> {
  const { minor: afterMinor, lowThresholdMinor } = posted.balance;
  const crossing = { beforeMinor: afterMinor - balanceChange(transaction), afterMinor };
  if (!fallsBelow(lowThresholdMinor, crossing)) return;
  const facts = { thresholdMinor: `${lowThresholdMinor}` };
  await announceBalance(tx, BalanceLow, { book: transaction.book, posted, at }, facts);
}

export async function readLowBalance(postgres: Postgres, book: Book): Promise<LowBalanceReply> {
  return replyOf(book, await findBalance(postgres, book));
}

/** Null switches the notice off. Waits for running postings, so that each of them uses either the old or the new threshold. */
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
