/** Moments and lengths of time as people read them, in the time zone of whoever reads. */

/** Day first, the month as a word: nobody takes it for another day. */
const dayAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const toTheSecond = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const dayAlone = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

export const precisions = {
  minute: (at: Date) => dayAndTime.format(at),
  second: (at: Date) => toTheSecond.format(at),
  day: (at: Date) => dayAlone.format(at),
} as const;
export type Precision = keyof typeof precisions;

export function momentText(at: string, precision: Precision = 'minute'): string {
  return precisions[precision](new Date(at));
}

/** A field for a day holds `2027-01-31`; the instant at which that day is over here. Null for anything else. */
export function endOfDay(day: string): Date | null {
  const [year, month, date] = day.split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  const end = new Date(year, month - 1, date + 1);
  return Number.isNaN(end.getTime()) ? null : end;
}

/** As a field for a day has it, `2027-01-31`. */
export function dayText(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** As a field for a day and a time has it, `2027-01-31T08:30`; it knows no time zone, and means the one here. */
export function localText(at: Date): string {
  return `${dayText(at)}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
