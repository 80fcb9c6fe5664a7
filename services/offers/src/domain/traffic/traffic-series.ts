/**
 * The points of a chart in a time zone. Counts are kept by whole hours of UTC, so a point begins at a whole hour of UTC: a day begins with
 * the first hour that begins on that day. In zones that are half an hour or 45 minutes off (Asia/Kolkata, Asia/Kathmandu) a day therefore
 * begins up to 45 minutes after midnight, and every count is in exactly one day.
 */
import { type granularities, MAX_POINTS } from '@offer-ads/contracts/public/api';
import type { DayRange } from '@offer-ads/contracts/values/day-range';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { type Period, wholeHour } from './analytics-period.ts';
import type { Traffic } from './traffic.ts';

const HOUR_MS = 3_600_000;
/** The Monday from which groups of several weeks are counted, in days since 1970. */
const FIRST_MONDAY = Date.UTC(2001, 0, 1) / DAY_MS;

export type Point = Traffic & { readonly startAt: Date };
export type Granularity = (typeof granularities)[number];

export type Buckets = {
  /** Whole hours of UTC, in order. The first one is the hour in which the period begins. */
  readonly starts: readonly Date[];
  /** The usual length of a point. A day on which the clocks change is an hour shorter or longer. */
  readonly bucketMs: number;
};

/**
 * The days of a time zone, the last one included; it ends now at the latest. Null: its first day has not begun.
 * @param daysBefore moves both days, for comparisons
 */
export function periodOfDays(
  { from, to }: DayRange,
  timeZone: string,
  now: Date,
  daysBefore = 0,
): Period | null {
  const startOf = (day: number): number => {
    const dayAt = localDays(timeZone);
    // No zone is further ahead of UTC than this.
    let at = day * DAY_MS - 14 * HOUR_MS;
    while (dayAt(at) < day) at += HOUR_MS;
    return at;
  };
  const [first, last] = [from, to].map((day) => Date.parse(day) / DAY_MS - daysBefore) as [number, number];
  const start = startOf(first);
  if (start > now.getTime()) return null;
  return { from: new Date(start), to: new Date(Math.min(startOf(last + 1) - 1, now.getTime())) };
}

/** Hours, days, weeks from Monday, or several weeks: the shortest, from the granularity on, that keeps the number of points in its limit. */
export function bucketsIn(period: Period, timeZone: string, granularity: Granularity = 'hour'): Buckets {
  const first = wholeHour(period.from).getTime();
  const hours = Math.floor((period.to.getTime() - first) / HOUR_MS) + 1;
  if (granularity === 'hour' && hours <= MAX_POINTS) {
    const starts = Array.from({ length: hours }, (_, index) => new Date(first + index * HOUR_MS));
    return { starts, bucketMs: HOUR_MS };
  }
  return daysOrWeeks(daysIn(period, timeZone));
}

/** Days, whatever the length of the period: for periods of at most a few months. */
function daysIn(period: Period, timeZone: string): readonly LocalDay[] {
  const dayAt = localDays(timeZone);
  const days: LocalDay[] = [];
  let at = wholeHour(period.from).getTime();
  while (at <= period.to.getTime()) {
    const day = dayAt(at);
    days.push({ start: new Date(at), day });
    // The first day may be short because the period begins in it, all others because the clocks change.
    at += days.length === 1 ? HOUR_MS : 22 * HOUR_MS;
    while (dayAt(at) === day) at += HOUR_MS;
  }
  return days;
}

/** The points as replies have them. */
export function shownPoints(points: readonly Point[]) {
  return points.map(({ startAt, ...traffic }) => ({ start_datetime: startAt.toISOString(), ...traffic }));
}

type LocalDay = {
  readonly start: Date;
  /** Days since 1970, by the calendar of the zone. */
  readonly day: number;
};

function daysOrWeeks(days: readonly LocalDay[]): Buckets {
  if (days.length <= MAX_POINTS) return { starts: days.map(({ start }) => start), bucketMs: DAY_MS };
  for (let weeks = 1; ; weeks += 1) {
    const groupOf = ({ day }: LocalDay) => Math.floor((day - FIRST_MONDAY) / (7 * weeks));
    const firsts = days.filter((day, index) => {
      const before = days[index - 1];
      return before === undefined || groupOf(before) !== groupOf(day);
    });
    if (firsts.length <= MAX_POINTS)
      return { starts: firsts.map(({ start }) => start), bucketMs: 7 * weeks * DAY_MS };
  }
}

/** `counted` is keyed by the position of the bucket. The first point starts with the period, even in the middle of its bucket. */
export function pointsOf(
  { starts }: Buckets,
  period: Period,
  counted: ReadonlyMap<number, Traffic>,
): readonly Point[] {
  return starts.map((start, index) => {
    const { views, clicks } = counted.get(index) ?? { views: 0, clicks: 0 };
    return { startAt: index === 0 ? period.from : start, views, clicks };
  });
}

export function sumOf(points: readonly Traffic[]): Traffic {
  return points.reduce<Traffic>(
    (sum, { views, clicks }) => ({ views: sum.views + views, clicks: sum.clicks + clicks }),
    { views: 0, clicks: 0 },
  );
}

/** The local day of an instant. */
function localDays(timeZone: string): (atMs: number) => number {
  if (timeZone === 'UTC') return (atMs) => Math.floor(atMs / DAY_MS);
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  return (atMs) => {
    const parts = format.formatToParts(atMs);
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((it) => it.type === type)?.value);
    return Date.UTC(part('year'), part('month') - 1, part('day')) / DAY_MS;
  };
}
