/** Converts a series to data for charts and tables. */
import type { SeriesReply } from '@offer-ads/contracts/portal/offers-api';

/** Columns of the same length; times in seconds. */
export type ChartData = {
  readonly times: readonly number[];
  readonly views: readonly number[];
  readonly clicks: readonly number[];
  /** Whether the last interval is not over. */
  readonly isLastOpen: boolean;
  readonly bucketSeconds: number;
  readonly timeZone: string;
};

export function chartOf({
  points,
  bucket_seconds,
  time_zone,
  ...series
}: Pick<SeriesReply, 'points' | 'bucket_seconds' | 'time_zone' | 'end_datetime'>): ChartData {
  return {
    times: wholeFirst(
      points.map(({ start_datetime }) => Date.parse(start_datetime) / 1_000),
      bucket_seconds,
    ),
    views: points.map(({ views }) => views),
    clicks: points.map(({ clicks }) => clicks),
    isLastOpen: isLastOpen(series),
    bucketSeconds: bucket_seconds,
    timeZone: time_zone,
  };
}

/** A period of past days ends in the millisecond before a full hour; every other one ends now. */
export function isLastOpen({ end_datetime: end }: Pick<SeriesReply, 'end_datetime'>): boolean {
  return (Date.parse(end) + 1) % 3_600_000 !== 0;
}

/** The first interval begins with the period, and may be short. It is drawn as wide as the others: the narrowest would set the width of all. */
function wholeFirst(times: readonly number[], bucketSeconds: number): readonly number[] {
  const [first, second] = times;
  if (first === undefined || second === undefined) return times;
  return [Math.min(first, second - bucketSeconds), ...times.slice(1)];
}

/** "1 Jun 2026, 13:00", by the clock of the zone. */
export function localTime(at: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  return format.format(new Date(at));
}

/** Where a zone is not a whole number of hours from UTC: the time at which days begin. Null in all other zones. */
export function lateBeginning({
  points,
  bucket_seconds: seconds,
  time_zone: zone,
}: Pick<SeriesReply, 'points' | 'bucket_seconds' | 'time_zone'>): string | null {
  const second = points[1];
  if (second === undefined || seconds < 86_400) return null;
  const time = localTime(second.start_datetime, zone).slice(-5);
  return time.endsWith(':00') ? null : time;
}

export function bucketText(seconds: number): string {
  const hours = seconds / 3_600;
  if (hours === 1) return 'hour';
  if (hours === 24) return 'day';
  return hours === 168 ? 'week' : `${hours / 168} weeks`;
}
