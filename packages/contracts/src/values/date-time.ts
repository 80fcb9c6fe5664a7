/**
 * How a caller may write a point in time: estimate, create and list read it by this one rule (decision 18, image
 * limitsa, forms and formats).
 */
import { z } from 'zod';

/** It knows the calendar: 30 February, which `Date.parse` takes for 2 March, is refused. */
const isoDateTime = z.union([
  z.iso.datetime({ offset: true }),
  // Whole minutes.
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/** With its offset an instant may lie outside the years that replies and events can name in four digits. */
const inFourDigits = (text: string) => /^\d/.test(new Date(text).toISOString());

/**
 * An ISO 8601 date and time with its zone, `Z` or an offset such as `+02:00`, as the instant that it means. Digits
 * beyond milliseconds are dropped.
 */
export const zonedDateTime = isoDateTime
  .refine(inFourDigits, 'must lie within the years 0 to 9999 in UTC')
  .transform((text) => new Date(text));

/** @returns undefined for what is no ISO 8601 date and time with its zone */
export function parseDateTime(text: unknown): Date | undefined {
  return zonedDateTime.safeParse(text).data;
}
