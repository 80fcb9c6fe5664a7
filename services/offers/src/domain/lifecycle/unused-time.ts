/** Unused Time: the part of the scheduled period in which a paid offer did not run (decision 6, Unused Time). */
import { type Lifecycle, timeOf } from '../offer.ts';

/** In milliseconds. `unusedMs` is what has accrued so far, from 0 to scheduledMs. */
export type UnusedTime = { readonly unusedMs: number; readonly scheduledMs: number };

type Period = { readonly from: number; readonly to: number };

export function unusedTime(offer: Lifecycle, now: Date): UnusedTime {
  const scheduledMs = offer.expiryAt.getTime() - offer.startAt.getTime();
  if (offer.paymentAppliedAt === null) return { unusedMs: 0, scheduledMs };
  if (cameTooLate(offer, offer.paymentAppliedAt)) return { unusedMs: scheduledMs, scheduledMs };
  // Only time after the creation counts: a start may be 60 seconds in the past.
  const within = {
    from: Math.max(offer.startAt.getTime(), offer.createdAt.getTime()),
    to: offer.expiryAt.getTime(),
  };
  return { unusedMs: lengthOfUnion(periodsNotRun(offer, offer.paymentAppliedAt, now), within), scheduledMs };
}

/**
 * How long the offer ran until now, in milliseconds.
 * @param period only in it. If it is over, the end of the offer may have been announced since
 */
export function ranMs(
  offer: Lifecycle,
  now: Date,
  period: { readonly from: Date; readonly to: Date } = { from: offer.createdAt, to: offer.expiryAt },
): number {
  const { paymentAppliedAt } = offer;
  if (paymentAppliedAt === null || cameTooLate(offer, paymentAppliedAt)) return 0;
  const within = {
    from: Math.max(offer.startAt.getTime(), offer.createdAt.getTime(), period.from.getTime()),
    to: Math.min(timeOf(offer, now).getTime(), offer.expiryAt.getTime(), period.to.getTime()),
  };
  return Math.max(
    0,
    within.to - within.from - lengthOfUnion(periodsNotRun(offer, paymentAppliedAt, now), within),
  );
}

/** Decision 7, late card payments: if a payment reaches an Ended or deleted offer, the whole period is unused. */
function cameTooLate(offer: Lifecycle, appliedAt: Date): boolean {
  return appliedAt >= offer.expiryAt || (offer.deletedAt !== null && appliedAt > offer.deletedAt);
}

/** The periods may overlap, because an offer can be paused and disabled at once. Each moment is counted once. */
function periodsNotRun(offer: Lifecycle, appliedAt: Date, now: Date): Period[] {
  // After a deletion everything is unused. A test clock that was reset since may be before it, so `now` says nothing of it.
  const to = offer.deletedAt ?? timeOf(offer, now);
  const stops = [
    ...offer.stops,
    ...[offer.pausedSince, offer.disabledSince]
      .filter((since) => since !== null)
      .map((since) => ({ from: since, to })),
  ];
  return [
    { from: -Infinity, to: appliedAt.getTime() },
    ...stops.map(({ from, to }) => ({ from: from.getTime(), to: to.getTime() })),
    ...(offer.deletedAt === null ? [] : [{ from: offer.deletedAt.getTime(), to: Infinity }]),
  ];
}

function lengthOfUnion(periods: readonly Period[], within: Period): number {
  let length = 0;
  let coveredTo = within.from;
  for (const period of periods.toSorted((a, b) => a.from - b.from)) {
    const from = Math.max(period.from, coveredTo);
    const to = Math.min(period.to, within.to);
    if (to <= from) continue;
    length += to - from;
    coveredTo = to;
  }
  return length;
}
