/** When the European Central Bank publishes: every TARGET business day at about 16:00 in Frankfurt. */

const publicationHour = 16;
const dayMs = 24 * 60 * 60 * 1000;

/** The date (`YYYY-MM-DD`) of the newest rates that were published at `now`, less `staleDays` calendar days. */
export function latestFixing(now: Date, staleDays = 0): string {
  const { date, hour } = inFrankfurt(now);
  let day = new Date(Date.parse(date) - (staleDays + (hour < publicationHour ? 1 : 0)) * dayMs);
  while (!isTargetDay(day)) day = new Date(day.getTime() - dayMs);
  return day.toISOString().slice(0, 10);
}

function inFrankfurt(now: Date): { date: string; hour: number } {
  const [date = '', time = ''] = now.toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' }).split(' ');
  return { date, hour: Number(time.slice(0, 2)) };
}

/** `day` is midnight UTC of a date. TARGET is closed on weekends and six holidays. */
function isTargetDay(day: Date): boolean {
  if (day.getUTCDay() === 0 || day.getUTCDay() === 6) return false;
  if (['01-01', '05-01', '12-25', '12-26'].includes(day.toISOString().slice(5, 10))) return false;
  const easter = easterSunday(day.getUTCFullYear());
  const daysFromEaster = Math.round((day.getTime() - easter.getTime()) / dayMs);
  return daysFromEaster !== -2 && daysFromEaster !== 1; // Good Friday, Easter Monday
}

/** The Gregorian computus, after Meeus, Jones and Butcher. */
export function easterSunday(year: number): Date {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return new Date(Date.UTC(year, Math.floor(f / 31) - 1, (f % 31) + 1));
}
