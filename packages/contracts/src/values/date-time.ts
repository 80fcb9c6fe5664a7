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
 * RFC 3339 allows `t` and `z` too.
 */
export const zonedDateTime = z
  .string()
  .transform((text) => text.toUpperCase())
  .pipe(isoDateTime)
  .refine(inFourDigits, 'must lie within the years 0 to 9999 in UTC')
  .transform((text) => new Date(text));

/** @returns undefined unless the text is an ISO 8601 date and time with a zone */
export function parseDateTime(text: unknown): Date | undefined {
  return zonedDateTime.safeParse(text).data;
}

/** The end of a refusal that begins with the name of the field. It says what to change where that can be seen. */
export function dateTimeFault(given: unknown): string {
  const text = typeof given === 'string' ? given : '';
  const hints = [
    'must be an ISO 8601 date and time with its zone, such as 2026-03-01T10:00:00Z',
    ...(/:\d\d(\.\d+)?[-+ ]\d{4}$/.test(text)
      ? ['write the hours and minutes of an offset with a colon, such as +02:00']
      : []),
    // In a query a plus is a blank.
    ...(/:\d\d(\.\d+)? \d\d:?\d\d$/.test(text) ? ['write the + of an offset as %2B'] : []),
  ];
  return hints.join('; ');
}
