/** Converts a series to data for charts and tables. */
import type { SeriesReply } from '@offer-ads/contracts/portal/offers-api';

/** Columns of the same length; times in seconds. `rate` is null without views. */
export type ChartData = {
  readonly times: readonly number[];
  readonly views: readonly number[];
  readonly clicks: readonly number[];
  readonly rate: readonly (number | null)[];
  readonly bucketSeconds: number;
};

export function chartOf({
  points,
  bucket_seconds,
}: Pick<SeriesReply, 'points' | 'bucket_seconds'>): ChartData {
  return {
    times: points.map(({ start_datetime }) => Date.parse(start_datetime) / 1_000),
    views: points.map(({ views }) => views),
    clicks: points.map(({ clicks }) => clicks),
    rate: points.map(({ views, clicks }) => (views === 0 ? null : (clicks / views) * 100)),
    bucketSeconds: bucket_seconds,
  };
}

/** "4.2"; a dash without views. */
export function rateText(views: number, clicks: number): string {
  return views === 0 ? '–' : ((clicks / views) * 100).toFixed(1);
}

export function bucketText(seconds: number): string {
  const hours = seconds / 3_600;
  if (hours === 1) return 'hour';
  if (hours === 24) return 'day';
  return hours === 168 ? 'week' : `${hours / 168} weeks`;
}
