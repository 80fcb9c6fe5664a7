/**
 * The words of invoices and credit notes, independent of their format. Change them only with care: a document that was issued is rendered
 * again on each download.
 */
import { amountText, countryText } from '@offer-ads/contracts/values/amount-text';
import { legible } from '@offer-ads/contracts/values/legible-text';
import {
  type BillingDocument,
  type Buyer,
  type CreditNote,
  documentNumber,
  type Invoice,
  isCreditNote,
} from './invoice.ts';

export type InvoiceDocument = {
  readonly number: string;
  readonly heading: string;
  /** A word in a frame beside the heading; credit notes have none. */
  readonly stamp: string | null;
  /** Only on documents of TEST mode, which are no invoices. */
  readonly warning: string | null;
  readonly facts: readonly Fact[];
  readonly seller: Party;
  readonly buyer: Party;
  /** For screen readers. */
  readonly caption: string;
  readonly lines: readonly Line[];
  readonly totals: readonly Fact[];
  /** How the money was paid or refunded. */
  readonly paid: string;
  readonly note: string | null;
  /** The document's creation date. Derived from the invoice, so that the same invoice always gives the same bytes. */
  readonly issuedAt: Date;
};

export type Line = {
  readonly description: string;
  /** Text that the advertiser wrote. */
  readonly title: string | null;
  readonly amount: string;
};
export type Fact = { readonly name: string; readonly value: string };
/** `lines`: the name first, then the address. */
export type Party = { readonly role: string; readonly lines: readonly string[] };

// An accountant must confirm this wording, and the treatment (docs/adr/0010-invoices.md).
const NOTE_WITHOUT_VAT =
  'No UK VAT is charged: the place of supply is outside the United Kingdom, where the customer belongs. ' +
  "Where that country's rules say so, the customer accounts for its VAT (reverse charge).";

export function documentOf(document: BillingDocument): InvoiceDocument {
  const { book, seller, buyer } = document;
  const amount = (minor: bigint) => amountText(minor, book.currency, buyer?.country ?? 'GB');
  const isTest = book.mode === 'TEST';
  const organisation = `Organisation ${book.organisationId}`;
  const purchaseOrder = legible(buyer?.details?.purchaseOrder ?? '');
  const words = isCreditNote(document) ? creditNoteWords(document) : invoiceWords(document);
  const { number } = words;
  return {
    number,
    heading: isTest ? words.testHeading : words.heading,
    stamp: words.stamp,
    warning: isTest ? words.testWarning : null,
    facts: [
      { name: isTest ? 'Document number' : words.numberName, value: number },
      { name: 'Date', value: invoiceDay(document.issuedAt) },
      ...words.facts,
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
      lines: [...(buyer === null ? [] : buyerLines(buyer)), organisation],
    },
    caption: words.caption,
    lines: linesOf(document).map(({ description, title, netMinor }) => ({
      description,
      title: legible(title ?? '') || null,
      amount: amount(netMinor),
    })),
    totals: [
      { name: 'Net', value: amount(document.netMinor) },
      ...(document.vatPercent > 0
        ? [{ name: `VAT ${document.vatPercent}%`, value: amount(document.vatMinor) }]
        : []),
      { name: words.totalName, value: amount(document.netMinor + document.vatMinor) },
    ],
    paid: words.paid,
    note: document.vatPercent > 0 ? null : NOTE_WITHOUT_VAT,
    issuedAt: document.issuedAt,
  };
}

/** An invoice has a line for each offer. A credit note is for a part of the whole. */
function linesOf(document: BillingDocument) {
  switch (document.kind) {
    case 'offer':
      return [lineOf(`Advertising, offer ${document.offerId}`, document)];
    case 'top-up':
      return [lineOf('Prepaid advertising balance', document)];
    case 'group': {
      const { offers } = document;
      return isCreditNote(document)
        ? [lineOf(`Advertising, ${offers.length} offers`, document)]
        : offers.map((offer) => lineOf(`Advertising, offer ${offer.offerId}`, offer));
    }
  }
}

type Sold = { readonly title: string | null; readonly netMinor: bigint };

function lineOf(description: string, { title, netMinor }: Sold) {
  return { description, title, netMinor };
}

/** What is worded differently on invoices and on credit notes. */
type Words = {
  readonly number: string;
  readonly numberName: string;
  readonly heading: string;
  readonly testHeading: string;
  readonly testWarning: string;
  readonly stamp: string | null;
  readonly facts: readonly Fact[];
  readonly caption: string;
  readonly totalName: string;
  readonly paid: string;
};

function invoiceWords({ book: { mode }, sequence, paidAt }: Invoice): Words {
  return {
    number: documentNumber({ series: 'invoice', mode, sequence }),
    numberName: 'Invoice number',
    heading: 'Invoice',
    testHeading: 'TEST, not an invoice',
    testWarning: 'Made in TEST mode: no money was taken, and nothing was supplied.',
    stamp: 'PAID',
    facts: [{ name: 'Date of payment', value: invoiceDay(paidAt) }],
    caption: 'What was paid for',
    totalName: 'Total',
    paid: `Paid by card on ${invoiceDay(paidAt)}`,
  };
}

function creditNoteWords({ book: { mode }, sequence, ofInvoice, cancels }: CreditNote): Words {
  const invoice = documentNumber({ series: 'invoice', mode, sequence: ofInvoice.sequence });
  const common = {
    number: documentNumber({ series: 'credit-note', mode, sequence }),
    stamp: null,
    facts: [{ name: 'Invoice', value: `${invoice} of ${invoiceDay(ofInvoice.issuedAt)}` }],
  };
  if (cancels === null)
    return {
      ...common,
      numberName: 'Credit note number',
      heading: 'Credit note',
      testHeading: 'TEST, not a credit note',
      testWarning: 'Made in TEST mode: no money was refunded.',
      caption: 'What is credited',
      totalName: 'Total credited',
      paid: `Refunded to the card with which invoice ${invoice} was paid.`,
    };
  const note = documentNumber({ series: 'credit-note', mode, sequence: cancels });
  return {
    ...common,
    numberName: 'Cancellation number',
    heading: 'Cancellation of a credit note',
    testHeading: 'TEST, not a cancellation',
    testWarning: 'Made in TEST mode: no money was moved.',
    facts: [...common.facts, { name: 'Cancels', value: note }],
    caption: 'What is no longer credited',
    totalName: 'Total no longer credited',
    paid: `The refund to the card failed, so credit note ${note} is cancelled.`,
  };
}

function buyerLines({ name, country, details }: Buyer): string[] {
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
