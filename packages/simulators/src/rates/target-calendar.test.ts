import { describe, expect, it } from '@jest/globals';
import { easterSunday, latestFixing } from './target-calendar.ts';

describe('the date of the newest rates', () => {
  it.each([
    ['on a weekday after the publication is that day', '2026-11-20T15:00:00Z', '2026-11-20'],
    ['on a weekday before 16:00 in Frankfurt is the day before', '2026-11-20T14:59:59Z', '2026-11-19'],
    ['in summer changes an hour earlier in UTC', '2026-07-01T14:00:00Z', '2026-07-01'],
    ['on a Monday morning is Friday', '2026-11-23T09:00:00Z', '2026-11-20'],
    ['on Easter Monday is Maundy Thursday', '2027-03-29T18:00:00Z', '2027-03-25'],
    ['on the second day of Christmas is Christmas Eve', '2025-12-26T18:00:00Z', '2025-12-24'],
    ['on New Year is in the old year', '2027-01-01T18:00:00Z', '2026-12-31'],
    ['on the first of May is the day before', '2026-05-01T18:00:00Z', '2026-04-30'],
  ])('%s', (_, now, date) => {
    expect(latestFixing(new Date(now))).toBe(date);
  });

  it('depends on Easter', () => {
    const dates = [2024, 2025, 2026, 2027].map((year) => easterSunday(year).toISOString().slice(0, 10));
    expect(dates).toEqual(['2024-03-31', '2025-04-20', '2026-04-05', '2027-03-28']);
  });
});
