/** Pages of an organisation's invoices and credit notes, newest first. */
import type { InvoiceSummary, InvoicesQuery, InvoicesReply } from '@offer-ads/contracts/internal/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { Fault } from '@offer-ads/platform/process/faults';
import {
  type BillingDocument,
  type DocumentKey,
  documentNumber,
  isCreditNote,
  parseDocumentNumber,
} from '../domain/invoices/invoice.ts';
import { findDocument, type InvoiceScope, listDocuments } from './invoices-store.ts';

/** A cursor is the number of the last document of the previous page. */
export async function readInvoices(
  on: Queryable,
  scope: InvoiceScope,
  { cursor, limit, offerId }: InvoicesQuery,
): Promise<InvoicesReply> {
  const before = cursor === undefined ? null : await lastOfPage(on, cursor, scope);
  // Reads one more than asked for, to know whether a next page exists.
  const found = await listDocuments(on, scope, { before, offerId: offerId ?? null, limit: limit + 1 });
  const invoices = found.slice(0, limit).map(summaryOf);
  const nextCursor = found.length > limit ? (invoices.at(-1)?.number ?? null) : null;
  return { mode: scope.mode, invoices, nextCursor };
}

async function lastOfPage(on: Queryable, cursor: string, scope: InvoiceScope): Promise<BillingDocument> {
  const key = parseDocumentNumber(cursor);
  const last = key?.mode === scope.mode ? await findDocument(on, key) : undefined;
  if (last?.book.organisationId === scope.organisationId) return last;
  const publicMessage = 'cursor: must be the nextCursor of a page before';
  throw new Fault('unreadable cursor', { status: 400, publicMessage });
}

export function summaryOf(document: BillingDocument): InvoiceSummary {
  const { book, kind, offerId, title, netMinor, vatMinor, paidAt, issuedAt } = document;
  return {
    ...namesOf(document),
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

function namesOf(
  document: BillingDocument,
): Pick<InvoiceSummary, 'number' | 'document' | 'invoiceNumber' | 'cancelsNumber'> {
  const { mode } = document.book;
  const numberIn = (series: DocumentKey['series'], sequence: bigint) =>
    documentNumber({ series, mode, sequence });
  if (!isCreditNote(document)) {
    const number = numberIn('invoice', document.sequence);
    return { number, document: 'invoice', invoiceNumber: null, cancelsNumber: null };
  }
  const { sequence, ofInvoice, cancels } = document;
  return {
    number: numberIn('credit-note', sequence),
    document: cancels === null ? 'credit-note' : 'cancellation',
    invoiceNumber: numberIn('invoice', ofInvoice.sequence),
    cancelsNumber: cancels === null ? null : numberIn('credit-note', cancels),
  };
}
