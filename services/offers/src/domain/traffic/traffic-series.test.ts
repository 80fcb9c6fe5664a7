import { describe, expect, it } from '@jest/globals';
import { analyticsIntervals, MAX_POINTS } from '@offer-ads/contracts/public/api';
import { fc } from '@offer-ads/testing/profile';
import { analyticsPeriod, wholeHour } from './analytics-period.ts';
import { bucketsIn, pointsOf } from './traffic-series.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const zones = [
  'UTC',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];
const formats = new Map(
  zones.map((timeZone) => [timeZone, new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })]),
);
const dateIn = (timeZone: string, at: Date) => formats.get(timeZone)?.format(at) ?? '';

describe('the points of a period in a time zone', () => {
  const instant = fc.date({ min: new Date('2005-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
  const length = fc.integer({ min: 0, max: 800 * DAY });

  it('are at most as many as a chart can show, in order, and begin with the period', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...analyticsIntervals),
        instant,
        length,
        (zone, interval, from, ms) => {
          const period = analyticsPeriod(interval, from, new Date(from.getTime() + ms));
          const buckets = bucketsIn(period, zone);
          expect(buckets.starts.length).toBeLessThanOrEqual(MAX_POINTS);
          expect(buckets.starts[0]).toEqual(wholeHour(period.from));
          const times = buckets.starts.map(Number);
          expect(times.filter((at) => at % HOUR !== 0 || at > Number(period.to))).toEqual([]);
          expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
          expect(pointsOf(buckets, period, new Map())[0]?.startAt).toEqual(period.from);
        },
      ),
    );
  });

  it('have all hours of one day, and no others, in one point', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        instant,
        fc.integer({ min: 9 * DAY, max: 60 * DAY }),
        (zone, from, ms) => {
          const period = { from, to: new Date(from.getTime() + ms) };
          const { starts, bucketMs: step } = bucketsIn(period, zone);
          expect(step).toBe(DAY);
          const days = new Set<string>();
          for (const [index, start] of starts.entries()) {
            const end = starts[index + 1] ?? new Date(wholeHour(period.to).getTime() + HOUR);
            const day = dateIn(zone, start);
            expect(days.has(day)).toBe(false);
            days.add(day);
            const hours = Array.from(
              { length: (Number(end) - Number(start)) / HOUR },
              (_, hour) => new Date(Number(start) + hour * HOUR),
            );
            expect(hours.map((at) => dateIn(zone, at))).toEqual(hours.map(() => day));
          }
        },
      ),
    );
  });

  const created = new Date('2024-02-29T09:12:13.456Z');
  const now = new Date('2026-06-03T12:34:56.789Z');

  it.each([
    ['24h', 'hour', HOUR, 25],
    ['24h', 'day', DAY, 2],
    ['7d', 'hour', HOUR, 169],
    ['7d', 'day', DAY, 8],
    ['30d', 'hour', DAY, 31],
    ['90d', 'hour', DAY, 91],
    // 118 weeks and a part of a week at each end.
    ['all', 'hour', 7 * DAY, 119],
  ] as const)('in UTC of %s by the %s: each of %d ms, %d in all', (interval, granularity, stepMs, count) => {
    const buckets = bucketsIn(analyticsPeriod(interval, created, now), 'UTC', granularity);
    expect([buckets.bucketMs, buckets.starts.length]).toEqual([stepMs, count]);
  });

  it('of weeks begin on Mondays of the zone', () => {
    const period = { from: new Date('2024-01-03T09:00:00Z'), to: new Date('2026-06-03T12:00:00Z') };
    const { starts, bucketMs: step } = bucketsIn(period, 'America/New_York');
    expect(step).toBe(7 * DAY);
    const weekday = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', weekday: 'long' });
    expect(new Set(starts.slice(1).map((start) => weekday.format(start)))).toEqual(new Set(['Monday']));
  });
});
