/** Views and clicks over a period for a chart: a limited number of points without gaps. */

import { type granularities, MAX_POINTS } from '@offer-ads/contracts/public/api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Period } from './analytics-period.ts';
import type { Traffic } from './traffic.ts';

export type Point = Traffic & { readonly startAt: Date };

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * DAY_MS;
/** A Monday. All hours, days and weeks are counted from here, in this file and in SQL. */
export const GRID_START = new Date('2001-01-01T00:00:00.000Z');

export type Granularity = (typeof granularities)[number];
const steps: Record<Granularity, readonly number[]> = {
  hour: [HOUR_MS, DAY_MS, WEEK_MS],
  day: [DAY_MS, WEEK_MS],
};

/** The length of a point: the shortest of the granularity, a day, a week or several weeks that keeps the number of points in its limit. */
export function bucketMs(period: Period, granularity: Granularity = 'hour'): number {
  for (const stepMs of steps[granularity]) if (pointsIn(period, stepMs) <= MAX_POINTS) return stepMs;
  let weeks = 2;
  while (pointsIn(period, weeks * WEEK_MS) > MAX_POINTS) weeks += 1;
  return weeks * WEEK_MS;
}

/** `counted` is keyed by the start of the bucket. The first point starts with the period, even in the middle of its bucket. */
export function seriesOf(period: Period, stepMs: number, counted: readonly Point[]): Point[] {
  const byStart = new Map(counted.map((point) => [point.startAt.getTime(), point]));
  const first = bucketAt(period.from, stepMs);
  return Array.from({ length: pointsIn(period, stepMs) }, (_, index) => {
    const startMs = first + index * stepMs;
    const { views, clicks } = byStart.get(startMs) ?? { views: 0, clicks: 0 };
    return { startAt: index === 0 ? period.from : new Date(startMs), views, clicks };
  });
}

export function sumOf(points: readonly Traffic[]): Traffic {
  return points.reduce<Traffic>(
    (sum, { views, clicks }) => ({ views: sum.views + views, clicks: sum.clicks + clicks }),
    { views: 0, clicks: 0 },
  );
}

function pointsIn({ from, to }: Period, stepMs: number): number {
  return (bucketAt(to, stepMs) - bucketAt(from, stepMs)) / stepMs + 1;
}

function bucketAt(instant: Date, stepMs: number): number {
  const start = GRID_START.getTime();
  return start + Math.floor((instant.getTime() - start) / stepMs) * stepMs;
}
