/** Formats times and durations for people, in the reader's time zone. */
import { lazily } from '@offer-ads/contracts/values/lazily';

/** The month as a word, so that day and month cannot be confused. */
const formatOf = (options: Intl.DateTimeFormatOptions) =>
  lazily(() => new Intl.DateTimeFormat('en-GB', options));
const dayAndTime = formatOf({ dateStyle: 'medium', timeStyle: 'short' });
const toTheSecond = formatOf({ dateStyle: 'medium', timeStyle: 'medium' });
const dayAlone = formatOf({ dateStyle: 'medium' });
const utcDay = formatOf({ dateStyle: 'medium', timeZone: 'UTC' });

export const precisions = {
  minute: (at: Date) => dayAndTime().format(at),
  second: (at: Date) => toTheSecond().format(at),
  day: (at: Date) => dayAlone().format(at),
  /** As documents have it, in every time zone. */
  'utc-day': (at: Date) => utcDay().format(at),
} as const;
export type Precision = keyof typeof precisions;

export function momentText(at: string, precision: Precision = 'minute'): string {
  return precisions[precision](new Date(at));
}

/** The end of a local day, given as `2027-01-31` (the value of a date field). Null for any other text. */
export function endOfDay(day: string): Date | null {
  const [year, month, date] = day.split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  const end = new Date(year, month - 1, date + 1);
  return Number.isNaN(end.getTime()) ? null : end;
}

/** The value of a date field, `2027-01-31`. */
export function dayText(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** The value of a date-time field, `2027-01-31T08:30`, in the local time zone. */
export function localText(at: Date): string {
  return `${dayText(at)}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
