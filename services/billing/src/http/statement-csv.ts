/** The statement as a CSV file: the lines of the pages, for a spreadsheet. */
import {
  MAX_CSV_ENTRIES,
  type StatementReply,
  type statementCsvQuery,
} from '@offer-ads/contracts/internal/billing-api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { type CsvColumn, sendCsv } from '@offer-ads/platform/http/csv';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Response } from 'express';
import type { z } from 'zod';
import type { Book } from '../domain/ledger/ledger.ts';
import { findStatementPage } from '../statement/read-statement.ts';

type Entry = StatementReply['entries'][number];

export async function sendStatementCsv(
  postgres: Postgres,
  book: Book,
  period: z.infer<typeof statementCsvQuery>,
  res: Response,
): Promise<void> {
  const statement = await findStatementPage(postgres, book, { ...period, limit: MAX_CSV_ENTRIES });
  // A file that ends in the middle would be booked as if it were whole.
  if (statement === null || statement.nextCursor !== null)
    throw new Fault('too many bookings for a file', {
      status: 400,
      publicMessage: `from: there are more than ${MAX_CSV_ENTRIES.toLocaleString('en-GB')} bookings; choose a shorter period`,
    });
  sendCsv(res, `statement-${book.mode.toLowerCase()}`, columnsFor(book.currency), statement.entries);
}

function columnsFor(currency: string): readonly CsvColumn<Entry>[] {
  const amount = (minor: string) => formatMinor(BigInt(minor), currency) as `${number}`;
  return [
    { title: 'Booked (UTC)', instant: ({ bookedAt }) => bookedAt },
    { title: 'Kind', text: ({ kind }) => kind },
    { title: 'Offer', number: ({ offerId }) => offerId },
    { title: 'Title', text: ({ title }) => title },
    { title: 'Currency', text: () => currency },
    { title: 'Amount', number: ({ amountMinor }) => amount(amountMinor) },
    { title: 'Balance', number: ({ balanceMinor }) => amount(balanceMinor) },
    { title: 'Card (net)', number: ({ card }) => card && amount(card.netMinor) },
    { title: 'Card VAT', number: ({ card }) => card && amount(card.vatMinor) },
    { title: 'Reference', text: ({ cause }) => cause },
  ];
}
