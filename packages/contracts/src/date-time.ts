/** How a caller may write a point in time: estimate, create and list read it by this one rule (decision 18a). */
import { z } from 'zod';

/** Whole minutes, or seconds with any fraction. It knows the calendar: 30 February, which `Date.parse` takes, is refused. */
const zonedDateTime = z.union([
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/**
 * An ISO 8601 date and time with its zone, `Z` or an offset such as `+02:00`. Digits beyond milliseconds are dropped.
 * @returns undefined for everything else
 */
export function parseDateTime(text: string): Date | undefined {
  return zonedDateTime.safeParse(text).success ? new Date(text) : undefined;
}
