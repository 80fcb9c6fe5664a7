/**
 * The words of an invoice document, independent of its format. Change them only with care: an invoice that was issued is rendered again on each
 * download.
 */
import { amountText, countryText } from '@offer-ads/contracts/values/amount-text';
import { legible } from '@offer-ads/contracts/values/legible-text';
import { type Buyer, type Invoice, invoiceNumber } from './invoice.ts';

export type InvoiceDocument = {
  readonly number: string;
  readonly heading: string;
  /** Only on documents of TEST mode, which are no invoices. */
  readonly warning: string | null;
  readonly facts: readonly Fact[];
  readonly seller: Party;
  readonly buyer: Party;
  readonly line: {
    readonly description: string;
    /** Text that the advertiser wrote. */
    readonly title: string | null;
    readonly amount: string;
  };
  readonly totals: readonly Fact[];
  readonly paid: string;
  readonly note: string | null;
  /** The document's creation date. Derived from the invoice, so that the same invoice always gives the same bytes. */
  readonly issuedAt: Date;
};

export type Fact = { readonly name: string; readonly value: string };
/** `lines`: the name first, then the address. */
export type Party = { readonly role: string; readonly lines: readonly string[] };

// An accountant must confirm this wording, and the treatment (docs/adr/0010-invoices.md).
const NOTE_WITHOUT_VAT =
  'No UK VAT is charged: the place of supply is outside the United Kingdom, where the customer belongs. ' +
  "Where that country's rules say so, the customer accounts for its VAT (reverse charge).";

export function documentOf(invoice: Invoice): InvoiceDocument {
  const { book, seller, buyer } = invoice;
  const amount = (minor: bigint) => amountText(minor, book.currency, buyer?.country ?? 'GB');
  const isTest = book.mode === 'TEST';
  const organisation = `Organisation ${book.organisationId}`;
  const purchaseOrder = legible(buyer?.details?.purchaseOrder ?? '');
  const title = legible(invoice.title ?? '');
  return {
    number: invoiceNumber(book.mode, invoice.sequence),
    heading: isTest ? 'TEST, not an invoice' : 'Invoice',
    warning: isTest ? 'Made in TEST mode: no money was taken, and nothing was supplied.' : null,
    facts: [
      {
        name: isTest ? 'Document number' : 'Invoice number',
        value: invoiceNumber(book.mode, invoice.sequence),
      },
      { name: 'Date', value: invoiceDay(invoice.issuedAt) },
      { name: 'Date of payment', value: invoiceDay(invoice.paidAt) },
      ...(purchaseOrder === '' ? [] : [{ name: 'Purchase order', value: purchaseOrder }]),
    ],
    seller: {
      role: 'From',
      lines: [
        legible(seller.name),
        ...seller.address.split(',').map(legible).filter(Boolean),
        `VAT number ${legible(seller.vatNumber)}`,
      ],
    },
    buyer: {
      role: 'To',
      lines: [...(buyer === null ? [] : linesOf(buyer)), organisation],
    },
    line: {
      description:
        invoice.kind === 'offer' ? `Advertising, offer ${invoice.offerId}` : 'Prepaid advertising balance',
      title: title === '' ? null : title,
      amount: amount(invoice.netMinor),
    },
    totals: [
      { name: 'Net', value: amount(invoice.netMinor) },
      ...(invoice.vatMinor > 0n
        ? [{ name: `VAT ${invoice.vatPercent}%`, value: amount(invoice.vatMinor) }]
        : []),
      { name: 'Total', value: amount(invoice.netMinor + invoice.vatMinor) },
    ],
    paid: `Paid by card on ${invoiceDay(invoice.paidAt)}`,
    note: invoice.vatMinor > 0n ? null : NOTE_WITHOUT_VAT,
    issuedAt: invoice.issuedAt,
  };
}

function linesOf({ name, country, details }: Buyer): string[] {
  const { address = [], vatNumber = null } = details ?? {};
  return [
    legible(name),
    ...address.map(legible).filter(Boolean),
    countryText(country),
    ...(vatNumber === null ? [] : [`VAT number ${legible(vatNumber)}`]),
  ];
}

/** Invoices are dated by the calendar day in UTC, in every country. */
function invoiceDay(instant: Date): string {
  return instant.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
