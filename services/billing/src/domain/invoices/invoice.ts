/** What an invoice is, and how it is numbered. A number is sequential per mode and says its mode: no TEST number can be taken for a LIVE one. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Book } from '../ledger/ledger.ts';
import { VAT_PERCENT } from './vat.ts';

/** Who sells, as it stands on documents. */
export type Seller = {
  readonly name: string;
  /** Lines, separated by commas. */
  readonly address: string;
  readonly vatNumber: string;
};

/** What an invoice is about. */
export type Invoiced = {
  readonly book: Book;
  /** The advertiser's text; null for what is no offer. */
  readonly title: string | null;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly paidAt: Date;
} & (
  | { readonly kind: 'offer'; readonly offerId: number }
  | { readonly kind: 'top-up'; readonly offerId: null }
);

/** Everything that its document shows, as it was when it was issued. */
export type Invoice = Invoiced & {
  readonly sequence: bigint;
  /** The ledger's, of what was paid. */
  readonly cause: string;
  readonly vatPercent: number;
  readonly issuedAt: Date;
  readonly seller: Seller;
  /** The organisation in whose name it is; null while billing has not heard of it. */
  readonly buyer: { readonly name: string; readonly country: string } | null;
};

const prefixes: Record<Mode, string> = { TEST: 'TEST', LIVE: 'INV' };
const FEWEST_DIGITS = 6;

export function invoiceNumber(mode: Mode, sequence: bigint): string {
  return `${prefixes[mode]}-${sequence.toString().padStart(FEWEST_DIGITS, '0')}`;
}

/** Each invoice has one number, written in one way; anything else is none. */
export function parseInvoiceNumber(text: string): { readonly mode: Mode; readonly sequence: bigint } | null {
  const [, prefix, digits = ''] = /^(TEST|INV)-(\d{6,18})$/.exec(text) ?? [];
  if (prefix === undefined) return null;
  const place = { mode: prefix === 'TEST' ? 'TEST' : 'LIVE', sequence: BigInt(digits) } as const;
  return place.sequence > 0n && invoiceNumber(place.mode, place.sequence) === text ? place : null;
}

/** The rate behind the VAT of a payment: all of the net or none of it is taxed. */
export function vatPercentOf(vatMinor: bigint): number {
  return vatMinor > 0n ? VAT_PERCENT : 0;
}
