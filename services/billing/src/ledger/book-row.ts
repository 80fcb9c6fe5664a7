/** The columns that name a book, in every table of money. */
import type { Book } from '../domain/ledger/ledger.ts';

export type BookRow = { organisation_id: bigint; mode: Book['mode']; currency: string };

export function bookOf({ organisation_id: id, mode, currency }: BookRow): Book {
  return { organisationId: Number(id), mode, currency };
}
