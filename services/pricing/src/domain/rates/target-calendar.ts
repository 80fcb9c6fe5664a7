/**
 * The days on which the European Central Bank publishes reference rates: every day on which TARGET, the Eurosystem's payment
 * system, is open. Decision 16, exchange rates, counts these days, so that rates do not become out of date over Easter and
 * Christmas.
 */
import { DAY_MS } from '@offer-ads/contracts/values/durations';

/** TARGET's closing days besides weekends and Easter, as `MM-DD`: New Year, Labour Day, Christmas and the day after. */
const closedDays: ReadonlySet<string> = new Set(['01-01', '05-01', '12-25', '12-26']);

/**
 * The central bank publishes at about 16:00 in Frankfurt, so until then the day's fixing is not missing. It may be some minutes late, which
 * is harmless, because one missing fixing is tolerated.
 */
const PUBLISHED_AT = '16:00';
/** Decision 16, exchange rates: "two or more fixings". */
const MISSING_WHEN_OUT_OF_DATE = 2;

/** "2026-11-20 15:59": the Swedish locale writes ISO dates. */
const frankfurtTime = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Berlin',
  dateStyle: 'short',
  timeStyle: 'short',
});

/** Whether two or more fixings after this one should exist by now (decision 16, exchange rates). Dates are `YYYY-MM-DD`. */
export function isOutOfDate(lastFixing: string, now: Date): boolean {
  return missingFixings(lastFixing, now, MISSING_WHEN_OUT_OF_DATE) === MISSING_WHEN_OUT_OF_DATE;
}

/** Whether a fixing after this one should exist by now. */
export function isNewerDue(lastFixing: string, now: Date): boolean {
  return missingFixings(lastFixing, now, 1) === 1;
}

/** How many fixings after this one should exist by now; counts back from today, up to `atMost`. */
export function missingFixings(lastFixing: string, now: Date, atMost: number): number {
  let missing = 0;
  for (let date = lastDayDue(now); date > lastFixing && missing < atMost; date = addDays(date, -1)) {
    if (isFixingDay(date)) missing += 1;
  }
  return missing;
}

/** The calendar date in Frankfurt, which is the latest possible date of a fixing. */
export function frankfurtDate(now: Date): string {
  return frankfurtTime.format(now).slice(0, 10);
}

export function isFixingDay(date: string): boolean {
  const weekday = new Date(date).getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  if (closedDays.has(date.slice(5))) return false;
  const easter = easterSunday(Number(date.slice(0, 4)));
  return date !== addDays(easter, -2) && date !== addDays(easter, 1);
}

function lastDayDue(now: Date): string {
  const [date = '', time = ''] = frankfurtTime.format(now).split(' ');
  return time >= PUBLISHED_AT ? date : addDays(date, -1);
}

/** The Gregorian computus (Meeus, Jones and Butcher), with their variable names. */
function easterSunday(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  const day = ((h + l - 7 * m + 114) % 31) + 1;
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
