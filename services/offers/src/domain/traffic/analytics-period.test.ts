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
});

it('a view or click counts in its hour, at the earliest at the instant of the creation', () => {
  expect(hourOfTraffic(new Date('2026-05-31T09:12:13.455Z'), createdAt, now)).toBeNull();
  expect(hourOfTraffic(createdAt, createdAt, now)).toEqual(new Date('2026-05-31T09:00:00Z'));
});
