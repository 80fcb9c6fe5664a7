/** A top-up of the prepaid balance by card: allowed amounts, and how long it waits for payment. */
import { cardMaximumMinor, cardMinimumMinor, isBilledCurrency } from '@offer-ads/contracts/values/currencies';

export type TopUpRefusal =
  | { readonly reason: 'currency-not-billed'; readonly currency: string }
  | { readonly reason: 'below-minimum'; readonly minimumMinor: bigint; readonly currency: string }
  | { readonly reason: 'above-maximum'; readonly maximumMinor: bigint; readonly currency: string }
  | { readonly reason: 'too-many-open'; readonly open: number; readonly nextClosesAt: Date };

/**
 * Null if the top-up is allowed. The minimum applies to the net amount (decision 14, card minimums), the maximum to the amount charged to the card.
 */
export function topUpProblem(o: {
  readonly currency: string;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
}): TopUpRefusal | null {
  const { currency } = o;
  const minimumMinor = cardMinimumMinor(currency);
  if (minimumMinor === undefined || !isBilledCurrency(currency)) {
    return { reason: 'currency-not-billed', currency };
  }
  if (o.netMinor < minimumMinor) return { reason: 'below-minimum', minimumMinor, currency };
  const maximumMinor = cardMaximumMinor(currency);
  if (o.netMinor + o.vatMinor > maximumMinor) {
    return { reason: 'above-maximum', maximumMinor, currency };
  }
  return null;
}

/** Seven days: a person with the company card may be on holiday for a week. After that the checkout is closed. */
const WAITS_MS = 7 * 24 * 3_600_000;

export function topUpExpiry(now: Date): Date {
  return new Date(now.getTime() + WAITS_MS);
}

/**
 * Limit of open top-ups per organisation and mode. People pay one before they ask for the next; the limit stops programs that loop. Each open top-up
 * costs a Stripe session and a week of reconciliation.
 */
const MAX_OPEN = 20;

/** Null if another top-up may be opened; otherwise the number of open ones and when the first of them closes. */
export function tooManyOpen(o: {
  readonly open: number;
  readonly nextClosesAt: Date | null;
}): TopUpRefusal | null {
  if (o.open < MAX_OPEN || o.nextClosesAt === null) return null;
  return { reason: 'too-many-open', open: o.open, nextClosesAt: o.nextClosesAt };
}
