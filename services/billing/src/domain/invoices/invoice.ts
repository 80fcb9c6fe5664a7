/**
 * Invoices, credit notes and their numbers. Numbers are sequential per mode and contain the mode, so a TEST number cannot be mistaken for a
 * LIVE one.
 */
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Book } from '../ledger/ledger.ts';
import type { GroupOffer } from '../payments/offer-payment.ts';
import { VAT_PERCENT } from './vat.ts';

/** The seller as printed on invoices. */
export type Seller = {
  readonly name: string;
  /** The lines of the address, separated by commas. */
  readonly address: string;
  readonly vatNumber: string;
};

/** The sale that an invoice is for. */
export type Invoiced = {
  readonly book: Book;
  /** The title of the offer or group, written by the advertiser; null for a top-up. */
  readonly title: string | null;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly paidAt: Date;
} & (
  | { readonly kind: 'offer'; readonly offerId: number }
  | { readonly kind: 'group'; readonly offerId: null; readonly offers: readonly GroupOffer[] }
  | { readonly kind: 'top-up'; readonly offerId: null }
);

/** All data printed on the document, as of the day of issue. */
export type Invoice = Invoiced & {
  readonly sequence: bigint;
  /** The cause of the ledger transaction that posted the payment. */
  readonly cause: string;
  readonly vatPercent: number;
  readonly issuedAt: Date;
  readonly seller: Seller;
  /** Null until billing has received its facts. */
  readonly buyer: Buyer | null;
};

/** The invoiced organisation. */
export type Buyer = {
  readonly name: string;
  readonly country: string;
  /** Null if the gateway had said nothing about them. */
  readonly details: BillingDetails | null;
};

/**
 * The credit of a refund, whole or in part. Its amounts, number and day are its own; all else is as on its invoice. If the refund failed
 * afterwards, another one cancels it, with the same amounts.
 */
export type CreditNote = Invoice & {
  readonly ofInvoice: Pick<Invoice, 'sequence' | 'issuedAt'>;
  /** The sequence of the credit note that this one cancels; null for the credit of a refund. */
  readonly cancels: bigint | null;
};

export type BillingDocument = Invoice | CreditNote;

export function isCreditNote(document: BillingDocument): document is CreditNote {
  return 'ofInvoice' in document;
}

/** Each series has numbers of its own. */
export type DocumentKey = {
  readonly series: 'invoice' | 'credit-note';
  readonly mode: Mode;
  readonly sequence: bigint;
};

const prefixes: Record<DocumentKey['series'], Record<Mode, string>> = {
  invoice: { TEST: 'TEST', LIVE: 'INV' },
  'credit-note': { TEST: 'TEST-CN', LIVE: 'CN' },
};
const FEWEST_DIGITS = 6;

export function documentNumber({ series, mode, sequence }: DocumentKey): string {
  return `${prefixes[series][mode]}-${sequence.toString().padStart(FEWEST_DIGITS, '0')}`;
}

const allSeries = (['invoice', 'credit-note'] as const).flatMap((series) =>
  (['TEST', 'LIVE'] as const).map((mode) => ({ series, mode })),
);

/** Null unless the text is the number of a document in its only valid form. */
export function parseDocumentNumber(text: string): DocumentKey | null {
  const [, prefix, digits = ''] = /^([A-Z-]+)-(\d{6,18})$/.exec(text) ?? [];
  const found = allSeries.find(({ series, mode }) => prefixes[series][mode] === prefix);
  if (found === undefined) return null;
  const key = { ...found, sequence: BigInt(digits) };
  return key.sequence > 0n && documentNumber(key) === text ? key : null;
}

/** The rate behind the VAT of a payment, which is 0% or 20%: the whole net is taxed, or nothing. */
export function vatPercentOf(vatMinor: bigint): number {
  return vatMinor > 0n ? VAT_PERCENT : 0;
}
