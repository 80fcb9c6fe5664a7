/** Compares the data of offers and billing about one offer's payment. Pure, so that tests cover every case in one line. */
import type { BilledPayment, KnownPayment } from '@offer-ads/contracts/internal/payments-api';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';

export type PaymentProblem =
  /** Offers has it, billing does not know it: billing was restored to an earlier time. */
  | 'unknown-to-billing'
  /** Billing has money or an open payment page for an offer that does not exist. */
  | 'unknown-to-offers'
  /** The same id belongs to another organisation, mode, currency or price. */
  | 'another-sale'
  /** Billing has the money, but the offer waits for it: the event OfferPaid is on its way, parked or lost. */
  | 'payment-not-applied'
  /** The offer counts as paid, but billing has no money for it. */
  | 'paid-for-offers-alone'
  /** The offer is over, but not all of its Unused Time is credited: the event is on its way, parked or lost. */
  | 'credit-missing'
  /** More is credited than the Unused Time: offers has lost a deletion or a pause. */
  | 'credited-too-much';

/** Null: no difference. */
export function paymentProblem(
  known: KnownPayment | undefined,
  billed: BilledPayment | undefined,
): PaymentProblem | null {
  if (known === undefined) return billed !== undefined && hasSomething(billed) ? 'unknown-to-offers' : null;
  // The offers service itself finishes incomplete creations.
  if (!known.shown) return null;
  if (billed === undefined) return known.paid || !known.over ? 'unknown-to-billing' : null;
  if (billed.paymentMethod === null && !known.paid && known.over) return null;
  if (!isSameSale(known, billed)) return 'another-sale';
  if (billed.paid !== known.paid) return billed.paid ? 'payment-not-applied' : 'paid-for-offers-alone';
  return known.paid ? creditProblem(known, billed) : null;
}

function creditProblem(known: KnownPayment, billed: BilledPayment): PaymentProblem | null {
  const credited = BigInt(billed.creditedMinor);
  const target = creditTarget(BigInt(known.netMinor), known);
  if (credited > target) return 'credited-too-much';
  return known.over && credited < target ? 'credit-missing' : null;
}

/** Whether money was paid, or can still be paid on an open page. */
function hasSomething({ paid, open, netMinor, creditedMinor }: BilledPayment): boolean {
  return open || (paid && BigInt(creditedMinor) < BigInt(netMinor));
}

function isSameSale(known: KnownPayment, billed: BilledPayment): boolean {
  return (
    known.organisationId === billed.organisationId &&
    known.mode === billed.mode &&
    known.currency === billed.currency &&
    known.netMinor === billed.netMinor &&
    known.paymentMethod === billed.paymentMethod
  );
}

type Numbered = { readonly offerId: number };

/** Merges two streams that are sorted by id into pairs with the same id. */
export async function* pairs<A extends Numbered, B extends Numbered>(
  one: AsyncIterator<A>,
  other: AsyncIterator<B>,
): AsyncGenerator<{ offerId: number; one: A | undefined; other: B | undefined }> {
  let [a, b] = await Promise.all([one.next(), other.next()]);
  while (a.done !== true || b.done !== true) {
    const aId = a.done === true ? Infinity : a.value.offerId;
    const bId = b.done === true ? Infinity : b.value.offerId;
    const offerId = Math.min(aId, bId);
    yield {
      offerId,
      one: aId === offerId && a.done !== true ? a.value : undefined,
      other: bId === offerId && b.done !== true ? b.value : undefined,
    };
    if (aId === offerId) a = await one.next();
    if (bId === offerId) b = await other.next();
  }
}
