/** How a caller may write a point in time: estimate, create and list read it by this one rule (decision 18a). */
import { z } from 'zod';

/** Knows the calendar: 30 February does not pass, as it does with `Date.parse`. */
const zonedDateTime = z.iso.datetime({ offset: true });

/**
 * An ISO 8601 date and time with its zone, `Z` or an offset such as `+02:00`. Digits beyond milliseconds are dropped.
 * @returns undefined for everything else
 */
export function parseDateTime(text: string): Date | undefined {
  return zonedDateTime.safeParse(text).success ? new Date(text) : undefined;
}
