import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { fc } from '@offer-ads/testing/profile';
import { frankfurtDate, isFixingDay, isNewerDue, isOutOfDate, missingFixings } from './target-calendar.ts';

/** Easter Sundays from a printed almanac, not from the formula. */
const easterSundays = `
  2024-03-31 2025-04-20 2026-04-05 2027-03-28 2028-04-16 2029-04-01 2030-04-21 2031-04-13 2032-03-28 2033-04-17
  2034-04-09 2035-03-25 2036-04-13 2037-04-05 2038-04-25 2039-04-10 2040-04-01 2041-04-21 2042-04-06 2043-03-29
  2044-04-17 2045-04-09 2046-03-25 2047-04-14 2048-04-05 2049-04-18 2050-04-10`
  .trim()
  .split(/\s+/);
const FIRST_YEAR = 2024;
const LAST_YEAR = 2050;

function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Every day of the years above on which TARGET is open, according to the almanac. */
const openDays: readonly string[] = (() => {
  const closed = new Set(easterSundays.flatMap((sunday) => [dateAfter(sunday, -2), dateAfter(sunday, 1)]));
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year += 1) {
    for (const day of ['01-01', '05-01', '12-25', '12-26']) closed.add(`${year}-${day}`);
  }
  const open: string[] = [];
  // 1 January 2024 is a Monday.
  let weekday = 0;
  for (let date = `${FIRST_YEAR}-01-01`; date <= `${LAST_YEAR}-12-31`; date = dateAfter(date, 1)) {
    if (weekday < 5 && !closed.has(date)) open.push(date);
    weekday = (weekday + 1) % 7;
  }
  return open;
})();
const isOpen = new Set(openDays);

/** Summer time runs from 01:00 UTC on the last Sunday of March until that of October. */
function publicationAt(date: string): Date {
  const year = date.slice(0, 4);
  const lastSunday = (month: string) => {
    const last = new Date(`${year}-${month}-31T01:00:00Z`);
    return last.getTime() - last.getUTCDay() * DAY_MS;
  };
  const noon = Date.parse(`${date}T12:00:00Z`);
  const isSummer = noon > lastSunday('03') && noon < lastSunday('10');
  return new Date(`${date}T${isSummer ? 14 : 15}:00:00Z`);
}

describe('every day from 2024 to 2050', () => {
  it('has a fixing exactly when the almanac says that TARGET is open', () => {
    let checked = 0;
    for (let date = `${FIRST_YEAR}-01-01`; date <= `${LAST_YEAR}-12-31`; date = dateAfter(date, 1)) {
      if (isFixingDay(date) !== isOpen.has(date)) throw new Error(`${date} is wrong`);
      checked += 1;
    }
    expect(checked).toBe(9_862);
  });

  it('makes a fixing out of date at 16:00 in Frankfurt of the second open day after it, to the millisecond', () => {
    for (const [at, date] of openDays.entries()) {
      const [next, second] = [openDays[at + 1], openDays[at + 2]];
      if (next === undefined || second === undefined) break;
      const oneIsOut = publicationAt(next).getTime();
      const twoAreOut = publicationAt(second).getTime();
      const told = [oneIsOut - 1, oneIsOut, twoAreOut - 1, twoAreOut].map((ms) => [
        isNewerDue(date, new Date(ms)),
        isOutOfDate(date, new Date(ms)),
      ]);
      const right = [
        [false, false],
        [true, false],
        [true, false],
        [true, true],
      ];
      if (JSON.stringify(told) !== JSON.stringify(right)) throw new Error(`${date}: ${JSON.stringify(told)}`);
    }
    expect(openDays.length).toBeGreaterThan(6_800);
  });
});

describe('the fixings that are missing', () => {
  it('are counted as in the almanac, up to the bound', () => {
    const day = fc.nat(openDays.length - 61);
    fc.assert(
      fc.property(day, fc.nat(60), fc.integer({ min: 1, max: 40 }), (at, missing, atMost) => {
        const now = publicationAt(openDays[at + missing]!);
        expect(missingFixings(openDays[at]!, now, atMost)).toBe(Math.min(missing, atMost));
      }),
    );
  });
});

it('a fixing with a date in the future is not out of date', () => {
  expect(isOutOfDate('2026-11-30', new Date('2026-11-20T09:00:00Z'))).toBe(false);
});

describe('the date in Frankfurt', () => {
  it('is already tomorrow an hour before midnight UTC', () => {
    expect(frankfurtDate(new Date('2026-11-20T22:59:59Z'))).toBe('2026-11-20');
    expect(frankfurtDate(new Date('2026-11-20T23:00:00Z'))).toBe('2026-11-21');
  });
});
