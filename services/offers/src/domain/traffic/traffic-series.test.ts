import { describe, expect, it } from '@jest/globals';
import { analyticsIntervals, MAX_POINTS } from '@offer-ads/contracts/public/api';
import { fc } from '@offer-ads/testing/profile';
import { analyticsPeriod } from './analytics-period.ts';
import { bucketMs, seriesOf, sumOf } from './traffic-series.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const created = new Date('2024-02-29T09:12:13.456Z');
const now = new Date('2026-06-03T12:34:56.789Z');

describe('the points of an interval', () => {
  it.each([
    ['24h', HOUR, 25],
    ['7d', HOUR, 169],
    ['30d', DAY, 31],
    ['60d', DAY, 61],
    ['90d', DAY, 91],
    // 118 weeks and a part of a week at each end.
    ['all', 7 * DAY, 119],
  ] as const)('of %s: each of %d ms, %d in all', (interval, stepMs, count) => {
    const period = analyticsPeriod(interval, created, now);
    expect(bucketMs(period)).toBe(stepMs);
    expect(seriesOf(period, stepMs, [])).toHaveLength(count);
  });

  it.each([
    ['24h', DAY, 2],
    ['7d', DAY, 8],
    ['all', 7 * DAY, 119],
  ] as const)('of %s by days: each of %d ms, %d in all', (interval, stepMs, count) => {
    const period = analyticsPeriod(interval, created, now);
    expect(bucketMs(period, 'day')).toBe(stepMs);
    expect(seriesOf(period, stepMs, [])).toHaveLength(count);
  });

  it('start with the period, then at whole days of UTC, and are zero without traffic', () => {
    const period = analyticsPeriod('30d', created, now);
    const points = seriesOf(period, DAY, [
      { startAt: new Date('2026-05-05T00:00:00Z'), views: 3, clicks: 1 },
    ]);
    expect(points.slice(0, 3)).toEqual([
      { startAt: new Date('2026-05-04T12:00:00Z'), views: 0, clicks: 0 },
      { startAt: new Date('2026-05-05T00:00:00Z'), views: 3, clicks: 1 },
      { startAt: new Date('2026-05-06T00:00:00Z'), views: 0, clicks: 0 },
    ]);
    expect(points.at(-1)?.startAt).toEqual(new Date('2026-06-03T00:00:00Z'));
  });

  it('of weeks start on Mondays', () => {
    const points = seriesOf(analyticsPeriod('all', created, now), 7 * DAY, []);
    expect(points[0]?.startAt).toEqual(created);
    expect(new Set(points.slice(1).map(({ startAt }) => startAt.getUTCDay()))).toEqual(new Set([1]));
  });

  it('are at most as many as a chart can show, in order, without gaps, and contain every count', () => {
    const instant = fc.date({
      min: new Date('2001-01-01'),
      max: new Date('2101-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.constantFrom(...analyticsIntervals), instant, instant, (interval, one, other) => {
        const [from, to] = one < other ? [one, other] : [other, one];
        const period = analyticsPeriod(interval, from, to);
        const stepMs = bucketMs(period);
        const empty = seriesOf(period, stepMs, []);
        expect(empty.length).toBeGreaterThan(0);
        expect(empty.length).toBeLessThanOrEqual(MAX_POINTS);
        expect(empty[0]?.startAt).toEqual(period.from);
        for (const [index, { startAt }] of empty.entries()) {
          const before = empty[index - 1]?.startAt;
          if (index > 1 && before !== undefined) expect(startAt.getTime() - before.getTime()).toBe(stepMs);
        }
        const counted = empty
          .slice(1)
          .map(({ startAt }, index) => ({ startAt, views: index + 2, clicks: 1 }));
        expect(sumOf(seriesOf(period, stepMs, counted))).toEqual(sumOf(counted));
      }),
    );
  });
});
