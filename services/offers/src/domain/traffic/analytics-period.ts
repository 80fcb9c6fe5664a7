/** The period of an analytics interval (decision 18a, forms and formats). */
import type { AnalyticsInterval } from '@offer-ads/contracts/public/api';

export type Period = { readonly from: Date; readonly to: Date };

const HOUR_MS = 3_600_000;
const intervalHours: Record<Exclude<AnalyticsInterval, 'all'>, number> = {
  '24h': 24,
  '7d': 7 * 24,
  '30d': 30 * 24,
  '60d': 60 * 24,
  '90d': 90 * 24,
};

export function daysOf(interval: Exclude<AnalyticsInterval, 'all'>): number {
  return intervalHours[interval] / 24;
}

/** Ends now and starts at a full hour, because counts are stored per hour and must be exact. `all` starts at the creation. */
export function analyticsPeriod(interval: AnalyticsInterval, createdAt: Date, now: Date): Period {
  if (interval === 'all') return { from: createdAt, to: now };
  return { from: wholeHour(new Date(now.getTime() - intervalHours[interval] * HOUR_MS)), to: now };
}

/** The full hour (UTC) at or before the instant: views and clicks are counted in it. */
export function wholeHour(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * The hour in which a view or click counts. Null if it does not count, because it is from before the offer's creation. A time in the
 * future, from a clock that runs ahead, counts as now.
 */
export function hourOfTraffic(seenAt: Date, createdAt: Date, now: Date): Date | null {
  if (seenAt < createdAt) return null;
  return wholeHour(seenAt < now ? seenAt : now);
}
