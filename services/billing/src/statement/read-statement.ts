/** The statement of a book: all its ledger transactions, newest first. */
import type { StatementReply, statementQuery } from '@offer-ads/contracts/internal/billing-api';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { Fault } from '@offer-ads/platform/process/faults';
import type { z } from 'zod';
import type { Book } from '../domain/ledger/ledger.ts';
import { type Period, readStatementCursor, writeStatementCursor } from '../domain/ledger/statement.ts';
import { readStatementPage, type StatementLine } from './statement-store.ts';

export async function readStatement(
  postgres: Postgres,
  book: Book,
  query: z.infer<typeof statementQuery>,
): Promise<StatementReply> {
  const statement = await findStatementPage(postgres, book, query);
  if (statement !== null) return statement;
  const publicMessage = 'cursor: must be the nextCursor of a page before, with the same from and to';
  throw new Fault('unreadable cursor', { status: 400, publicMessage });
}

/** @returns null if the cursor is not one of this period and book */
export async function findStatementPage(
  postgres: Postgres,
  book: Book,
  query: z.infer<typeof statementQuery>,
): Promise<StatementReply | null> {
  const period: Period = { from: query.from ?? null, to: query.to ?? null };
  const after = query.cursor === undefined ? null : readStatementCursor(query.cursor, period);
  if (query.cursor !== undefined && after === null) return null;
  // Reads one row more than the page shows, to know whether another page follows.
  const page = await readStatementPage(postgres, book, period, { after, limit: query.limit + 1 });
  if (page === undefined) return null;
  const shown = page.lines.slice(0, query.limit);
  const newestId = after?.newestId ?? shown[0]?.transactionId;
  const lastId = shown.at(-1)?.transactionId;
  const isLast = page.lines.length === shown.length || newestId === undefined || lastId === undefined;
  return {
    mode: book.mode,
    currency: book.currency,
    openingBalanceMinor: `${page.openingMinor}`,
    closingBalanceMinor: `${page.closingMinor}`,
    entries: shown.map(entryOf),
    nextCursor: isLast ? null : writeStatementCursor({ period, newestId, lastId }),
  };
}

function entryOf(line: StatementLine): StatementReply['entries'][number] {
  return {
    bookedAt: line.bookedAt.toISOString(),
    kind: line.kind,
    offerId: line.offerId,
    title: line.title,
    cause: line.cause,
    amountMinor: `${line.amountMinor}`,
    balanceMinor: `${line.balanceMinor}`,
    card: line.card && { netMinor: `${line.card.netMinor}`, vatMinor: `${line.card.vatMinor}` },
  };
}
