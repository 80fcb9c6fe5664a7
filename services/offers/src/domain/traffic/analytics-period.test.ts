import { describe, expect, it } from '@jest/globals';
import { analyticsPeriod, hourOfTraffic } from './analytics-period.ts';

const createdAt = new Date('2026-05-31T09:12:13.456Z');
const now = new Date('2026-06-01T12:34:56.789Z');

describe('an analytics period', () => {
  it.each([
    ['24h', '2026-05-31T12:00:00.000Z'],
    ['7d', '2026-05-25T12:00:00.000Z'],
    ['30d', '2026-05-02T12:00:00.000Z'],
    ['60d', '2026-04-02T12:00:00.000Z'],
    ['90d', '2026-03-03T12:00:00.000Z'],
  ] as const)('of %s starts at the whole hour at or before now minus the interval', (interval, from) => {
    expect(analyticsPeriod(interval, createdAt, now)).toEqual({ from: new Date(from), to: now });
  });

  it('of all starts at the creation', () => {
    expect(analyticsPeriod('all', createdAt, now)).toEqual({ from: createdAt, to: now });
  });

  it('starts exactly at the interval when now is a whole hour', () => {
    const noon = new Date('2026-06-01T12:00:00Z');
    expect(analyticsPeriod('24h', createdAt, noon).from).toEqual(new Date('2026-05-31T12:00:00Z'));
  });
});

describe('a view or click', () => {
  it('counts in its hour', () => {
    expect(hourOfTraffic(new Date('2026-06-01T10:59:59.999Z'), createdAt, now)).toEqual(
      new Date('2026-06-01T10:00:00Z'),
    );
  });
  it('from a clock that runs ahead counts now', () => {
    expect(hourOfTraffic(new Date('2026-06-02T00:00:00Z'), createdAt, now)).toEqual(
      new Date('2026-06-01T12:00:00Z'),
    );
  });
  it('from before the creation does not count, and one at that instant does', () => {
    expect(hourOfTraffic(new Date('2026-05-31T09:12:13.455Z'), createdAt, now)).toBeNull();
    expect(hourOfTraffic(createdAt, createdAt, now)).toEqual(new Date('2026-05-31T09:00:00Z'));
  });
});
