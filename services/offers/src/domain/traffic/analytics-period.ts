/** Which time an analytics interval covers (decision 18a, forms and formats). */
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

/** It ends now and starts at a whole hour, because counts are kept by whole hours and must be exact; `all` starts at the creation. */
export function analyticsPeriod(interval: AnalyticsInterval, createdAt: Date, now: Date): Period {
  if (interval === 'all') return { from: createdAt, to: now };
  return { from: wholeHour(new Date(now.getTime() - intervalHours[interval] * HOUR_MS)), to: now };
}

/** The whole hour (UTC) at or before the instant: where a view or click is counted. */
export function wholeHour(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * The hour in which a view or click counts, or null when it does not: nobody can have seen an offer before it was
 * created. A clock that runs ahead of ours has seen it now.
 */
export function hourOfTraffic(seenAt: Date, createdAt: Date, now: Date): Date | null {
  if (seenAt < createdAt) return null;
  return wholeHour(seenAt < now ? seenAt : now);
}
