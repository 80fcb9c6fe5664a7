import { describe, expect, it } from '@jest/globals';
import { daysFrom, isLoggable } from './call-days.ts';

const now = new Date('2026-06-01T12:00:00.000Z');

describe('a day of the call log', () => {
  it('is followed by the next one over the ends of months and years', () => {
    expect(daysFrom(new Date('2027-12-30T23:59:59.999Z'), 3)).toEqual([
      '2027-12-30',
      '2027-12-31',
      '2028-01-01',
    ]);
  });
});

describe('a call is logged', () => {
  it.each([
    ['2026-03-03T11:59:59.999Z', false],
    ['2026-03-03T12:00:00.000Z', true],
    ['2026-08-30T12:00:00.000Z', true],
    ['2026-08-30T12:00:00.001Z', false],
  ])('when its time, such as %s, is within 90 days of now: %s', (at, loggable) => {
    expect(isLoggable(new Date(at), now)).toBe(loggable);
  });
});
