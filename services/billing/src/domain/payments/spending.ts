/** The spending limits of a key or a person: what may still be ordered in a UTC day and its calendar month (decision 262, rights of a key). */
import type { ExceededLimit } from '@offer-ads/contracts/internal/billing-api';
import type { Spending } from '@offer-ads/contracts/internal/caller-context';

/** What was ordered in the day and the month, in minor units: what is paid, and what can still be paid. */
export type Ordered = { readonly day: bigint; readonly month: bigint };

export type Left = { readonly limitMinor: bigint; readonly leftMinor: bigint };

/** Null for a period without a limit. After a limit was lowered nothing is left, never less. */
export function leftOf(
  { perDayMinor, perMonthMinor }: Spending,
  ordered: Ordered,
): { readonly day: Left | null; readonly month: Left | null } {
  const left = (limit: string | null, used: bigint) => {
    if (limit === null) return null;
    const limitMinor = BigInt(limit);
    return { limitMinor, leftMinor: used < limitMinor ? limitMinor - used : 0n };
  };
  return { day: left(perDayMinor, ordered.day), month: left(perMonthMinor, ordered.month) };
}

export function hasLimit({ perDayMinor, perMonthMinor }: Spending): boolean {
  return perDayMinor !== null || perMonthMinor !== null;
}

/** The limit that the cost is above, the one with less left first; null if it is within all. */
export function exceededBy(costMinor: bigint, spending: Spending, ordered: Ordered): ExceededLimit | null {
  const { day, month } = leftOf(spending, ordered);
  const [nearest] = [
    { per: 'day' as const, left: day },
    { per: 'month' as const, left: month },
  ]
    .flatMap(({ per, left }) => (left === null || costMinor <= left.leftMinor ? [] : [{ per, ...left }]))
    .toSorted((a, b) => Number(a.leftMinor - b.leftMinor));
  if (nearest === undefined) return null;
  const { per, limitMinor, leftMinor } = nearest;
  return { per, limitMinor: `${limitMinor}`, leftMinor: `${leftMinor}`, costMinor: `${costMinor}` };
}
