/** The `Idempotency-Key` of requests that create an offer or bring money (decision 10, idempotency keys). */
import { z } from 'zod';

export const idempotencyKey = z.string().regex(/^[!-~]{1,255}$/);
/** What the pattern allows, for a person who is refused. */
export const idempotencyKeyRule = '1 to 255 printable ASCII characters without spaces';

export function isIdempotencyKey(text: string): boolean {
  return idempotencyKey.safeParse(text).success;
}
