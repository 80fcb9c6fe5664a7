/** The low-balance threshold of an organisation. The notice that the balance has fallen below it comes with the posting. */
import type { LowBalanceReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import { type Balance, findBalance, setLowThreshold } from '../ledger/ledger-store.ts';

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
    isLow: lowThresholdMinor !== null && minor < lowThresholdMinor,
  };
}
