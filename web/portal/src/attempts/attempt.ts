/**
 * A request with an Idempotency-Key whose outcome is not known yet. Until it is known, further requests use the same key, also after a
 * reload. So at most one of them takes effect.
 */
import type { Refusal } from '../../../ui/calls/call.ts';

export type Attempt = {
  readonly key: string;
  /** Shown on its page: a title or an amount. */
  readonly what: string;
  readonly sentAt: string;
};

/**
 * Keys never expire (decision 10, idempotency keys). After a day the person can find the outcome in lists and statements.
 */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** Reads a stored attempt. The text is not trusted: null when it is invalid or too old. */
export function readAttempt(text: string | null, now: Date): Attempt | null {
  if (text === null) return null;
  try {
    const { key, what, sentAt } = JSON.parse(text) as { [name in keyof Attempt]?: unknown };
    if (typeof key !== 'string' || typeof what !== 'string' || typeof sentAt !== 'string') return null;
    const ageMs = now.getTime() - Date.parse(sentAt);
    return key !== '' && Math.abs(ageMs) < FORGOTTEN_AFTER_MS ? { key, what, sentAt } : null;
  } catch {
    return null;
  }
}

/** `isRepeat`: an earlier request may have taken effect, whatever this reply says. */
export function leavesUnknown({ status, returnCode }: Refusal, isRepeat: boolean): boolean {
  if (status === 0 || status >= 500) return true;
  // Refused before the service checked the key.
  return isRepeat && returnCode === null && [401, 403, 408, 429].includes(status);
}
