/**
 * Money of a card payment that the provider takes back: a refund made at Stripe, or a dispute that the cardholder began. Events about it arrive in
 * any order and repeatedly. Merging them only adds information, so order and repeats are harmless.
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { CardPayment } from './card-payment.ts';

export type Reversal = {
  /** Stripe's id of the refund or the dispute. */
  readonly reversalId: string;
  readonly kind: 'refund' | 'dispute';
  readonly mode: Mode;
  readonly paymentIntentId: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Stripe's status as of `asOf`. */
  readonly status: string;
  readonly reason: string | null;
  readonly asOf: Date;
  /** The money was taken. A dispute can begin as an inquiry, which takes no money. */
  readonly taken: boolean;
  /** The money came back: the refund failed, or the dispute was won. */
  readonly returned: boolean;
  /** The provider has reported that the refund succeeded. It can fail all the same, later. Never true for a dispute. */
  readonly succeeded: boolean;
};

/** With the postings that exist in the ledger. */
export type RecordedReversal = Reversal & { readonly takenPosted: boolean; readonly returnedPosted: boolean };

/** The combined state after another event. Money that was returned must have been taken before, even if no event said so. */
export function mergeReversal(before: Reversal | undefined, reported: Reversal): Reversal {
  if (before === undefined) return { ...reported, taken: reported.taken || reported.returned };
  const latest = isLater(before, reported) ? before : reported;
  const returned = before.returned || reported.returned;
  return {
    ...latest,
    // Of one that is on record in the other mode, nothing may be saved: the store compares it.
    mode: reported.mode,
    paymentIntentId: before.paymentIntentId ?? reported.paymentIntentId,
    // The amount of a refund or dispute never changes, so the posted amount stays.
    amountMinor: before.amountMinor,
    currency: before.currency,
    taken: before.taken || reported.taken || returned,
    returned,
    succeeded: before.succeeded || reported.succeeded,
  };
}

/**
 * Those of a payment of which something is to be posted, in the order in which they were heard of. Refunds are posted up to the amount of
 * the payment, because Stripe never refunds more. One of more is forged or a mistake: it stays on record for a person. Refunds that are too
 * much only together wait for news that an earlier one failed. A dispute may be of more, because its currency may have risen.
 */
export function reversalsToPost(
  { netMinor, vatMinor, book: { currency } }: Pick<CardPayment, 'netMinor' | 'vatMinor' | 'book'>,
  reversals: readonly RecordedReversal[],
): RecordedReversal[] {
  let leftMinor = netMinor + vatMinor;
  for (const { kind, takenPosted, returned, amountMinor } of reversals)
    if (kind === 'refund' && takenPosted && !returned) leftMinor -= amountMinor;
  return reversals.filter((one) => {
    if (one.currency !== currency) return false;
    if (one.takenPosted) return one.returned && !one.returnedPosted;
    if (!one.taken || one.kind === 'dispute') return one.taken;
    if (one.amountMinor > (one.returned ? netMinor + vatMinor : leftMinor)) return false;
    if (!one.returned) leftMinor -= one.amountMinor;
    return true;
  });
}

/** Final statuses of Stripe. */
const FINAL = new Set(['failed', 'canceled', 'won', 'lost', 'warning_closed', 'prevented']);

/** Stripe's times are whole seconds: of two events in the same second, the one with a final status is later. */
function isLater(one: Reversal, other: Reversal): boolean {
  if (one.asOf.getTime() !== other.asOf.getTime()) return one.asOf > other.asOf;
  return FINAL.has(one.status) && !FINAL.has(other.status);
}
