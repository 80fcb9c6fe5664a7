/** Invoices and their numbers. Numbers are sequential per mode and contain the mode, so a TEST number cannot be mistaken for a LIVE one. */
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Book } from '../ledger/ledger.ts';
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
  /** The offer's title, written by the advertiser; null for a top-up. */
  readonly title: string | null;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly paidAt: Date;
} & (
  | { readonly kind: 'offer'; readonly offerId: number }
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

const prefixes: Record<Mode, string> = { TEST: 'TEST', LIVE: 'INV' };
const FEWEST_DIGITS = 6;

export function invoiceNumber(mode: Mode, sequence: bigint): string {
  return `${prefixes[mode]}-${sequence.toString().padStart(FEWEST_DIGITS, '0')}`;
}

/** Null unless the text is an invoice number in its only valid form. */
export function parseInvoiceNumber(text: string): { readonly mode: Mode; readonly sequence: bigint } | null {
  const [, prefix, digits = ''] = /^(TEST|INV)-(\d{6,18})$/.exec(text) ?? [];
  if (prefix === undefined) return null;
  const place = { mode: prefix === 'TEST' ? 'TEST' : 'LIVE', sequence: BigInt(digits) } as const;
  return place.sequence > 0n && invoiceNumber(place.mode, place.sequence) === text ? place : null;
}

/** The rate behind the VAT of a payment, which is 0% or 20%: the whole net is taxed, or nothing. */
export function vatPercentOf(vatMinor: bigint): number {
  return vatMinor > 0n ? VAT_PERCENT : 0;
}
