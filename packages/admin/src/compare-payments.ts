/** What offers and billing know of one offer's payment, held against each other: pure, so that every case is a line of a test. */
import type { BilledPayment, KnownPayment } from '@offer-ads/contracts/internal/payments-api';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';

export type PaymentProblem =
  /** Offers shows it, billing has never heard of it: restored to a moment before it. */
  | 'unknown-to-billing'
  /** Billing has money, or a page that can be paid, for an offer that is not there. */
  | 'unknown-to-offers'
  /** Another organisation, mode, currency or price under the same id. */
  | 'another-sale'
  /** Billing has the money, the offer waits for it: OfferPaid is under way, parked or lost. */
  | 'payment-not-applied'
  /** The offer counts as paid, billing has no money for it. */
  | 'paid-for-offers-alone'
  /** The offer is over and not all of its Unused Time is credited: its event is under way, parked or lost. */
  | 'credit-missing'
  /** More is credited than went unused: offers forgot a deletion or a pause. */
  | 'credited-too-much';

/** Null: the two agree. */
export function paymentProblem(
  known: KnownPayment | undefined,
  billed: BilledPayment | undefined,
): PaymentProblem | null {
  if (known === undefined) return billed !== undefined && hasSomething(billed) ? 'unknown-to-offers' : null;
  // What is not finished yet, offers itself settles with billing.
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

/** Money that is somebody's, or a page by which it could still come. */
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

/** Both streams are in the order of ids; pairs what they say about one. */
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
