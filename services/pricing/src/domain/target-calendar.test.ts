import { describe, expect, it } from '@jest/globals';
import { frankfurtDate, isFixingDay, isNewerDue, isOutOfDate } from './target-calendar.ts';

describe('a day of the TARGET calendar', () => {
  it.each([
    ['a Saturday', '2026-11-21'],
    ['a Sunday', '2026-11-22'],
    ["New Year's Day", '2027-01-01'],
    ['Good Friday', '2026-04-03'],
    ['Easter Monday', '2026-04-06'],
    ['Good Friday of another year', '2027-03-26'],
    ['the earliest Easter Monday in decades', '2008-03-24'],
    ['the latest Easter Monday in decades', '2038-04-26'],
    ['Labour Day', '2026-05-01'],
    ['Christmas Day', '2026-12-25'],
    ['the day after Christmas Day', '2028-12-26'],
  ])('is without a fixing on %s', (_, date) => {
    expect(isFixingDay(date)).toBe(false);
  });

  it.each([
    ['an ordinary Friday', '2026-11-20'],
    ['Christmas Eve', '2026-12-24'],
    ["New Year's Eve", '2026-12-31'],
    ['Maundy Thursday', '2026-04-02'],
    ['Whit Monday', '2026-05-25'],
    ['29 February', '2028-02-29'],
  ])('has a fixing on %s', (_, date) => {
    expect(isFixingDay(date)).toBe(true);
  });
});

describe('a rate is out of date', () => {
  it.each([
    // The fixing of Thursday 19 November 2026.
    ['not on its own day', '2026-11-19', '2026-11-19T22:00:00Z', false],
    ['not on the next day, when one fixing is missing', '2026-11-19', '2026-11-20T15:00:00Z', false],
    ['not over the weekend', '2026-11-19', '2026-11-22T23:00:00Z', false],
    ['not before 16:00 on the day of the second missing fixing', '2026-11-19', '2026-11-23T14:59:59Z', false],
    ['from 16:00 in Frankfurt on, which is 15:00 UTC in winter', '2026-11-19', '2026-11-23T15:00:00Z', true],
    ['and 14:00 UTC in summer', '2026-07-15', '2026-07-17T14:00:00Z', true],
    ['but not a minute sooner', '2026-07-15', '2026-07-17T13:59:59Z', false],
    // Maundy Thursday to the Wednesday after Easter.
    ['not over Easter', '2026-04-02', '2026-04-08T13:59:00Z', false],
    ['when two fixings after Easter are missing', '2026-04-02', '2026-04-08T14:00:00Z', true],
    // Christmas Eve 2026 is a Thursday; 25 December a Friday; 28 December the next fixing.
    ['not over Christmas', '2026-12-24', '2026-12-29T14:59:00Z', false],
    ['when two fixings after Christmas are missing', '2026-12-24', '2026-12-29T15:00:00Z', true],
    ['after ten days', '2026-11-10', '2026-11-20T09:00:00Z', true],
    ['not when its date is in the future', '2026-11-30', '2026-11-20T09:00:00Z', false],
  ])('%s', (_, lastFixing, now, expected) => {
    expect(isOutOfDate(lastFixing, new Date(now))).toBe(expected);
  });
});

describe('a newer fixing is due', () => {
  it.each([
    ['not before 16:00 on the next fixing day', '2026-11-19', '2026-11-20T14:59:59Z', false],
    ['from 16:00 on', '2026-11-19', '2026-11-20T15:00:00Z', true],
    ['not over the weekend', '2026-11-20', '2026-11-22T20:00:00Z', false],
    ['when the last is years old', '1999-01-04', '2026-11-22T20:00:00Z', true],
  ])('%s', (_, lastFixing, now, expected) => {
    expect(isNewerDue(lastFixing, new Date(now))).toBe(expected);
  });
});

describe('the date in Frankfurt', () => {
  it('is already tomorrow an hour before midnight UTC', () => {
    expect(frankfurtDate(new Date('2026-11-20T22:59:59Z'))).toBe('2026-11-20');
    expect(frankfurtDate(new Date('2026-11-20T23:00:00Z'))).toBe('2026-11-21');
  });
});
