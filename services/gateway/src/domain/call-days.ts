/** The UTC days that partition the call log, and how long records are kept. */
import { DAY_MS } from '@offer-ads/contracts/values/durations';

/** Specification, Authentication item 10. */
const keptDays = 90;

/** A UTC day as `2026-06-01`. */
export type Day = string;

export function dayOf(at: Date): Day {
  return at.toISOString().slice(0, 10);
}

export function startOf(day: Day): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

export function nextDay(day: Day): Day {
  return dayOf(new Date(startOf(day).getTime() + DAY_MS));
}

/** The time of the oldest record that is kept. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * DAY_MS);
}

/** Whether all records of the day are older than that. */
export function isPastRetention(day: Day, now: Date): boolean {
  return startOf(nextDay(day)) <= keptSince(now);
}

/**
 * Whether a call of that time is logged. The limit for the future is as large as for the past: a clock that ran ahead for a while loses no
 * calls, and a completely wrong clock does not create tables without end.
 */
export function isLoggable(at: Date, now: Date): boolean {
  return at >= keptSince(now) && at.getTime() <= now.getTime() + keptDays * DAY_MS;
}

/** That day and the following ones. */
export function daysFrom(now: Date, count: number): Day[] {
  return Array.from({ length: count }, (_, ahead) => dayOf(new Date(now.getTime() + ahead * DAY_MS)));
}
