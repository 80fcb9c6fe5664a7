/** Invoices in Postgres. */
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { PreparedStatement, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { type Invoice, type Invoiced, type Seller, vatPercentOf } from '../domain/invoices/invoice.ts';
import { type BookRow, bookOf } from '../ledger/book-row.ts';

export type NewInvoice = Invoiced & {
  readonly cause: string;
  readonly seller: Seller;
  readonly issuedAt: Date;
};

const dueInvoiceStatement: PreparedStatement = {
  name: 'due-invoice',
  sql: `INSERT INTO due_invoices
          (mode, cause, organisation_id, currency, kind, offer_id, title, net_minor, vat_minor, vat_percent,
           paid_at, issued_at, seller_name, seller_address, seller_vat_number)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
};

/** The invoice is issued in the commit: the trigger `number_invoice` gives it the next number. */
export function insertDueInvoice(tx: Transaction, invoice: NewInvoice): void {
  const { book, seller } = invoice;
  tx.queryLater(dueInvoiceStatement, [
    book.mode,
    invoice.cause,
    book.organisationId,
    book.currency,
    invoice.kind,
    invoice.offerId,
    invoice.title,
    invoice.netMinor,
    invoice.vatMinor,
    vatPercentOf(invoice.vatMinor),
    invoice.paidAt,
    invoice.issuedAt,
    seller.name,
    seller.address,
    seller.vatNumber,
  ]);
}

/** Adds the buyer to invoices whose organisation was not known when they were issued. */
export async function fillInBuyers(on: Queryable): Promise<number> {
  const filled = await on.query(
    `UPDATE invoices SET buyer_name = organisations.name, buyer_country = organisations.country,
                         buyer_details = organisations.billing_details
       FROM organisations
      WHERE invoices.organisation_id = organisations.organisation_id AND buyer_name IS NULL
      RETURNING sequence`,
  );
  return filled.length;
}

type InvoiceRow = BookRow & {
  sequence: bigint;
  cause: string;
  kind: 'offer' | 'top-up';
  offer_id: bigint | null;
  title: string | null;
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
};

/** Invoices belong to an organisation in one mode. */
export type InvoiceOwner = { readonly organisationId: number; readonly mode: Mode };

/** Newest first; `before` is the last invoice of the previous page. */
export async function listInvoices(
  on: Queryable,
  { organisationId, mode }: InvoiceOwner,
  page: { readonly before: bigint | null; readonly limit: number },
): Promise<Invoice[]> {
  const rows = await on.query<InvoiceRow>(
    `SELECT * FROM invoices
      WHERE organisation_id = $1 AND mode = $2 AND ($3::bigint IS NULL OR sequence < $3)
      ORDER BY sequence DESC LIMIT $4`,
    [organisationId, mode, page.before, page.limit],
  );
  return rows.map(invoiceOf);
}

export async function findInvoice(
  on: Queryable,
  { organisationId, mode }: InvoiceOwner,
  sequence: bigint,
): Promise<Invoice | undefined> {
  const [row] = await on.query<InvoiceRow>(
    'SELECT * FROM invoices WHERE organisation_id = $1 AND mode = $2 AND sequence = $3',
    [organisationId, mode, sequence],
  );
  return row && invoiceOf(row);
}

/** Of any organisation: for the platform team. */
export async function findByNumber(
  on: Queryable,
  { mode, sequence }: { readonly mode: Mode; readonly sequence: bigint },
): Promise<Invoice | undefined> {
  const [row] = await on.query<InvoiceRow>('SELECT * FROM invoices WHERE mode = $1 AND sequence = $2', [
    mode,
    sequence,
  ]);
  return row && invoiceOf(row);
}

function invoiceOf(row: InvoiceRow): Invoice {
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
  };
  return row.offer_id === null
    ? { ...facts, kind: 'top-up', offerId: null }
    : { ...facts, kind: 'offer', offerId: Number(row.offer_id) };
}
