/** The statement of a book: all its ledger transactions, newest first. */
import {
  MAX_CSV_ENTRIES,
  type StatementReply,
  type statementQuery,
} from '@offer-ads/contracts/internal/billing-api';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { Fault } from '@offer-ads/platform/process/faults';
import type { z } from 'zod';
import type { Book } from '../domain/ledger/ledger.ts';
import { type Asked, readStatementCursor, writeStatementCursor } from '../domain/ledger/statement.ts';
import { readStatementPage, type StatementLine, sumStatement } from './statement-store.ts';

type StatementQuery = z.infer<typeof statementQuery>;

export async function readStatement(
  postgres: Postgres,
  book: Book,
  query: StatementQuery,
): Promise<StatementReply> {
  const statement = await findStatementPage(postgres, book, query);
  if (statement === null) {
    const publicMessage = 'cursor: must be the nextCursor of a page before, with the same from, to and kinds';
    throw new Fault('unreadable cursor', { status: 400, publicMessage });
  }
  const { newestId, ...page } = statement;
  if (query.cursor !== undefined) return { ...page, sums: null };
  const sums = await sumStatement(postgres, book, askedIn(query), { newestId, most: MAX_CSV_ENTRIES });
  return {
    ...page,
    sums: sums && {
      entries: sums.entries,
      addedMinor: `${sums.addedMinor}`,
      deductedMinor: `${sums.deductedMinor}`,
      card: cardOf(sums),
    },
  };
}

/** @returns null if the cursor is not one of this query and book */
export async function findStatementPage(postgres: Postgres, book: Book, query: StatementQuery) {
  const asked = askedIn(query);
  const after = query.cursor === undefined ? null : readStatementCursor(query.cursor, asked);
  if (query.cursor !== undefined && after === null) return null;
  // Reads one row more than the page shows, to know whether another page follows.
  const page = await readStatementPage(postgres, book, asked, { after, limit: query.limit + 1 });
  if (page === undefined) return null;
  const { newestId, lines } = page;
  const shown = lines.slice(0, query.limit);
  const lastId = shown.at(-1)?.transactionId;
  const isLast = lines.length === shown.length || lastId === undefined;
  return {
    newestId,
    mode: book.mode,
    currency: book.currency,
    openingBalanceMinor: `${page.openingMinor}`,
    closingBalanceMinor: `${page.closingMinor}`,
    entries: shown.map(entryOf),
    nextCursor: isLast ? null : writeStatementCursor(asked, { newestId, lastId }),
  };
}

function askedIn({ from, to, kinds }: StatementQuery): Asked {
  return { from: from ?? null, to: to ?? null, kinds: kinds ?? null };
}

function cardOf({ card }: Pick<StatementLine, 'card'>): StatementReply['entries'][number]['card'] {
  return card && { netMinor: `${card.netMinor}`, vatMinor: `${card.vatMinor}` };
}

function entryOf(line: StatementLine): StatementReply['entries'][number] {
  return {
    bookedAt: line.bookedAt.toISOString(),
    kind: line.kind,
    offerId: line.offerId,
    groupId: line.groupId,
    title: line.title,
    cause: line.cause,
    amountMinor: `${line.amountMinor}`,
    balanceMinor: `${line.balanceMinor}`,
    card: cardOf(line),
  };
}
