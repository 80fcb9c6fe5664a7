/**
 * Where the id of a view or click is remembered: in the slot of the day (UTC) on which it was seen. A whole slot is emptied at once when its
 * day is over for long enough, so that nothing is deleted row by row. A repeat of an event has the same day, so it finds its id.
 */
import { DAY_MS } from '@offer-ads/contracts/values/durations';

/** Longer than any retry and a weekend's outage: a repeat does not come later. */
export const INBOX_DAYS = 3;
/** A clock of the community platform may run ahead. */
const DAYS_AHEAD = 1;
/** The days above, today, and one day whose slot is empty before it is needed. */
export const DAY_SLOTS = INBOX_DAYS + 1 + DAYS_AHEAD + 1;
/** For events of all other days. There are few of them, so they are deleted one by one. */
export const OTHER_DAYS = -1;

export function inboxSlot(seenAt: Date, now: Date): number {
  const day = dayOf(seenAt);
  const age = dayOf(now) - day;
  return age > INBOX_DAYS || age < -DAYS_AHEAD ? OTHER_DAYS : slotOf(day);
}

/** The slot that no event of `now` uses. */
export function slotToEmpty(now: Date): number {
  return slotOf(dayOf(now) + DAYS_AHEAD + 1);
}

function dayOf(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MS);
}

/** Days before 1970 are negative. */
function slotOf(day: number): number {
  return ((day % DAY_SLOTS) + DAY_SLOTS) % DAY_SLOTS;
}
