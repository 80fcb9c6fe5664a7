/**
 * The format of points in time from callers, for estimate, create and list (decision 18a, forms and formats).
 */
import { z } from 'zod';

/** Refuses days that do not exist: `Date.parse` would read 30 February as 2 March. */
const isoDateTime = z.union([
  z.iso.datetime({ offset: true }),
  // Whole minutes.
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/** The offset may move the instant outside of the years that replies and events can write with four digits. */
const inFourDigits = (text: string) => /^\d/.test(new Date(text).toISOString());

/**
 * Parses an ISO 8601 date and time with a zone (`Z` or an offset such as `+02:00`) to an instant. Digits beyond milliseconds are dropped.
 */
export const zonedDateTime = isoDateTime
  .refine(inFourDigits, 'must lie within the years 0 to 9999 in UTC')
  .transform((text) => new Date(text));

/** @returns undefined unless the text is an ISO 8601 date and time with a zone */
export function parseDateTime(text: unknown): Date | undefined {
  return zonedDateTime.safeParse(text).data;
}
