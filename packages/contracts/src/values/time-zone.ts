/** Time zones by their names in the IANA database, such as `Europe/London`. */
import { z } from 'zod';

/** Offsets such as `+01:00` are refused: they know no summer time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;
const MAX_CHARACTERS = 64;

export function isTimeZone(name: string): boolean {
  if (name.length > MAX_CHARACTERS || !NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/London')
  .meta({ description: 'The name of a time zone in the IANA database.', example: 'Europe/London' });
