/** Pages of an organisation's invoices, newest first. */
import type { InvoiceSummary, InvoicesReply } from '@offer-ads/contracts/internal/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { Fault } from '@offer-ads/platform/process/faults';
import { type Invoice, invoiceNumber, parseInvoiceNumber } from '../domain/invoices/invoice.ts';
import { type InvoiceOwner, listInvoices } from './invoices-store.ts';

/** A cursor is the number of the last invoice of the previous page. */
export async function readInvoices(
  on: Queryable,
  owner: InvoiceOwner,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<InvoicesReply> {
  const before = cursor === undefined ? null : placeIn(cursor, owner);
  // Reads one more than asked for, to know whether a next page exists.
  const found = await listInvoices(on, owner, { before, limit: limit + 1 });
  const invoices = found.slice(0, limit).map(summaryOf);
  const nextCursor = found.length > limit ? (invoices.at(-1)?.number ?? null) : null;
  return { mode: owner.mode, invoices, nextCursor };
}

function placeIn(cursor: string, { mode }: InvoiceOwner): bigint {
  const place = parseInvoiceNumber(cursor);
  if (place?.mode === mode) return place.sequence;
  const publicMessage = 'cursor: must be the nextCursor of a page before';
  throw new Fault('unreadable cursor', { status: 400, publicMessage });
}

export function summaryOf(invoice: Invoice): InvoiceSummary {
  const { book, sequence, kind, offerId, title, netMinor, vatMinor, paidAt, issuedAt } = invoice;
  return {
    number: invoiceNumber(book.mode, sequence),
    kind,
    offerId,
    title,
    currency: book.currency,
    netMinor: `${netMinor}`,
    vatMinor: `${vatMinor}`,
    grossMinor: `${netMinor + vatMinor}`,
    paidAt: paidAt.toISOString(),
    issuedAt: issuedAt.toISOString(),
  };
}
