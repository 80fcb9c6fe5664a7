/** A top-up of the prepaid balance by card: which amounts it may have, and how long it waits. */
import { cardMaximumMinor, cardMinimumMinor, isBilledCurrency } from '@offer-ads/contracts/values/currencies';

export type TopUpRefusal =
  | { readonly reason: 'currency-not-billed'; readonly currency: string }
  | { readonly reason: 'below-minimum'; readonly minimumMinor: bigint; readonly currency: string }
  | { readonly reason: 'above-maximum'; readonly maximumMinor: bigint; readonly currency: string }
  | { readonly reason: 'too-many-open'; readonly open: number; readonly nextClosesAt: Date };

/**
 * Null when it may be asked for. The minimum compares the net (decision 14, card minimums), the maximum what the card
 * bears.
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

/** Long enough for the one who holds the company card to come back from holidays' first week; then its page is closed. */
const WAITS_MS = 7 * 24 * 3_600_000;

export function topUpExpiry(now: Date): Date {
  return new Date(now.getTime() + WAITS_MS);
}

/**
 * Of one organisation in one mode that wait for their payment: far more than people need, who pay one and ask for the next. Each
 * has a session at the provider and a link that is looked after for a week, so a program in a loop is stopped here.
 */
const MOST_OPEN = 20;

/** Those that are open, by when the first of them closes. Null when one more may be asked for. */
export function tooManyOpen(o: {
  readonly open: number;
  readonly nextClosesAt: Date | null;
}): TopUpRefusal | null {
  if (o.open < MOST_OPEN || o.nextClosesAt === null) return null;
  return { reason: 'too-many-open', open: o.open, nextClosesAt: o.nextClosesAt };
}
