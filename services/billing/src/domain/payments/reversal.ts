/**
 * Money of a card payment that the provider takes back: a refund made there, or a dispute that the cardholder began.
 * News of it come in any order and many times; what they say together only grows, so order and repeats are harmless.
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';

export type Reversal = {
  /** Stripe's id of the refund or the dispute. */
  readonly reversalId: string;
  readonly kind: 'refund' | 'dispute';
  readonly mode: Mode;
  readonly paymentIntentId: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Stripe's word for where it stands, as of `asOf`. */
  readonly status: string;
  readonly reason: string | null;
  readonly asOf: Date;
  /** The money has left. A dispute may be a mere inquiry first. */
  readonly taken: boolean;
  /** And has come back: the refund failed, or the dispute was won. */
  readonly returned: boolean;
};

/** With how much of it the ledger has. */
export type KeptReversal = Reversal & { readonly takenBooked: boolean; readonly returnedBooked: boolean };

/** What is known after more news. What came back had left before, whether or not anybody told of it. */
export function learned(before: Reversal | undefined, news: Reversal): Reversal {
  if (before === undefined) return { ...news, taken: news.taken || news.returned };
  const latest = isLater(before, news) ? before : news;
  const returned = before.returned || news.returned;
  return {
    ...latest,
    paymentIntentId: before.paymentIntentId ?? news.paymentIntentId,
    // Booked amounts stay: neither a refund nor a dispute changes its own.
    amountMinor: before.amountMinor,
    currency: before.currency,
    taken: before.taken || news.taken || returned,
    returned,
  };
}

/** Stripe's words after which nothing more comes. */
const FINAL = new Set(['failed', 'canceled', 'won', 'lost', 'warning_closed', 'prevented']);

/** Stripe counts in whole seconds: of two within one, what is final came last. */
function isLater(one: Reversal, other: Reversal): boolean {
  if (one.asOf.getTime() !== other.asOf.getTime()) return one.asOf > other.asOf;
  return FINAL.has(one.status) && !FINAL.has(other.status);
}
