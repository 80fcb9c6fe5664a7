/** Invoices in Postgres, and documents: invoices together with their credit notes. */
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import {
  type BillingDocument,
  type DocumentKey,
  type Invoiced,
  isCreditNote,
  type Seller,
  vatPercentOf,
} from '../domain/invoices/invoice.ts';
import type { GroupOffer } from '../domain/payments/offer-payment.ts';
import { type BookRow, bookOf } from '../ledger/book-row.ts';

type NewInvoice = Invoiced & {
  readonly cause: string;
  readonly seller: Seller;
  readonly issuedAt: Date;
};

/**
 * Every card payment gets its invoice in the transaction that posts it. It is issued in the commit: the trigger `number_invoice` gives it the
 * next number. A cause that has its invoice keeps it, and gets no second one.
 */
export async function insertDueInvoice(tx: Transaction, invoice: NewInvoice): Promise<void> {
  const { book, seller } = invoice;
  const values = [
    book.mode,
    invoice.cause,
    book.organisationId,
    book.currency,
    invoice.kind,
    invoice.offerId,
    invoice.title,
    invoice.kind === 'group' ? JSON.stringify(invoice.offers.map(lineOf)) : null,
    invoice.netMinor,
    invoice.vatMinor,
    vatPercentOf(invoice.vatMinor),
    invoice.paidAt,
    invoice.issuedAt,
    seller.name,
    seller.address,
    seller.vatNumber,
  ];
  await tx.query(
    `INSERT INTO due_invoices
       (mode, cause, organisation_id, currency, kind, offer_id, title, lines, net_minor, vat_minor, vat_percent,
        paid_at, issued_at, seller_name, seller_address, seller_vat_number)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    values,
  );
}

function lineOf({ offerId, title, netMinor }: GroupOffer): Line {
  return { offerId, title, netMinor: `${netMinor}` };
}

/**
 * Adds name, country and billing details of the buyer to invoices whose organisation was not known when they were issued: a payment does
 * not wait for the event with its organisation's facts.
 */
export async function nameBuyers(on: Queryable): Promise<number> {
  const filled = await on.query(
    `UPDATE invoices SET buyer_name = organisations.name, buyer_country = organisations.country,
                         buyer_details = organisations.billing_details
       FROM organisations
      WHERE invoices.organisation_id = organisations.organisation_id AND buyer_name IS NULL
      RETURNING sequence`,
  );
  return filled.length;
}

type Line = { readonly offerId: number; readonly title: string; readonly netMinor: string };
type DocumentRow = BookRow & {
  sequence: bigint;
  cause: string;
  kind: 'offer' | 'group' | 'top-up';
  offer_id: bigint | null;
  title: string | null;
  lines: Line[] | null;
  net_minor: bigint;
  vat_minor: bigint;
  vat_percent: number;
  paid_at: Date;
  issued_at: Date;
  seller_name: string;
  seller_address: string;
  seller_vat_number: string;
  buyer_name: string | null;
  buyer_country: string | null;
  buyer_details: BillingDetails | null;
  /** Null for an invoice: that of a credit note. */
  invoice: bigint | null;
  invoice_issued_at: Date | null;
  cancels: bigint | null;
};

/** Documents belong to an organisation in one mode. */
export type InvoiceScope = { readonly organisationId: number; readonly mode: Mode };

const newestOf = (series: DocumentKey['series'], bound: string) => `
  SELECT * FROM invoice_documents
   WHERE document = '${series}' AND organisation_id = $1 AND mode = $2
     AND (issued_at, sequence) < (coalesce($3::timestamptz, 'infinity'), ${bound}::bigint)
     AND ($7::bigint IS NULL OR offer_id = $7 OR lines @> jsonb_build_array(jsonb_build_object('offerId', $7)))
   ORDER BY issued_at DESC, sequence DESC LIMIT $6`;

const MAX_SEQUENCE = 2n ** 63n - 1n;

export type DocumentsWanted = {
  /** The last document of the previous page. */
  readonly before: BillingDocument | null;
  /** Null: of all offers, and of top-ups. */
  readonly offerId: number | null;
  readonly limit: number;
};

/** Newest first. Both series are in the order of their days. Of the same moment, credit notes are newer than invoices. */
export async function listDocuments(
  on: Queryable,
  { organisationId, mode }: InvoiceScope,
  { before, offerId, limit }: DocumentsWanted,
): Promise<BillingDocument[]> {
  const [invoicesBelow, creditNotesBelow] =
    before !== null && isCreditNote(before)
      ? [MAX_SEQUENCE, before.sequence]
      : [before?.sequence ?? MAX_SEQUENCE, 0n];
  const rows = await on.query<DocumentRow>(
    `(${newestOf('invoice', '$4')}) UNION ALL (${newestOf('credit-note', '$5')})
     ORDER BY issued_at DESC, document, sequence DESC LIMIT $6`,
    [organisationId, mode, before?.issuedAt, invoicesBelow, creditNotesBelow, limit, offerId],
  );
  return rows.map(documentOf);
}

/** Of any organisation: for the platform team, and for a caller that compares the organisation. */
export async function findDocument(
  on: Queryable,
  { series, mode, sequence }: DocumentKey,
): Promise<BillingDocument | undefined> {
  const [row] = await on.query<DocumentRow>(
    'SELECT * FROM invoice_documents WHERE document = $1 AND mode = $2 AND sequence = $3',
    [series, mode, sequence],
  );
  return row && documentOf(row);
}

function documentOf(row: DocumentRow): BillingDocument {
  const { buyer_name: name, buyer_country: country, buyer_details: details } = row;
  const facts = {
    sequence: row.sequence,
    cause: row.cause,
    book: bookOf(row),
    title: row.title,
    netMinor: row.net_minor,
    vatMinor: row.vat_minor,
    vatPercent: row.vat_percent,
    paidAt: row.paid_at,
    issuedAt: row.issued_at,
    seller: { name: row.seller_name, address: row.seller_address, vatNumber: row.seller_vat_number },
    buyer: name === null || country === null ? null : { name, country, details },
    ...(row.invoice !== null &&
      row.invoice_issued_at !== null && {
        ofInvoice: { sequence: row.invoice, issuedAt: row.invoice_issued_at },
        cancels: row.cancels,
      }),
  };
  if (row.kind === 'offer') return { ...facts, kind: row.kind, offerId: Number(row.offer_id) };
  if (row.kind === 'top-up') return { ...facts, kind: row.kind, offerId: null };
  const offers = (row.lines ?? []).map(({ offerId, title, netMinor }) => ({
    offerId,
    title,
    netMinor: BigInt(netMinor),
  }));
  return { ...facts, kind: row.kind, offerId: null, offers };
}
