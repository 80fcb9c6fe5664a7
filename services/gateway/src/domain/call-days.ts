/** The UTC days by which the call log is divided, and how long a record of a call is kept. */

const dayMs = 24 * 60 * 60 * 1_000;
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
  return dayOf(new Date(startOf(day).getTime() + dayMs));
}

/** The oldest instant of which a record is kept. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * dayMs);
}

/** Whether every record of that day is older than what is kept. */
export function isOver(day: Day, now: Date): boolean {
  return startOf(nextDay(day)) <= keptSince(now);
}

/**
 * Whether a call of that time belongs in the log. As far ahead as back: a clock that ran fast for a while costs no
 * calls, and one that is nonsense makes no tables without end.
 */
export function isLoggable(at: Date, now: Date): boolean {
  return at >= keptSince(now) && at.getTime() <= now.getTime() + keptDays * dayMs;
}

/** That day and the ones that follow. */
export function daysFrom(now: Date, count: number): Day[] {
  return Array.from({ length: count }, (_, ahead) => dayOf(new Date(now.getTime() + ahead * dayMs)));
}
