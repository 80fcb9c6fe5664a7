/**
 * What was asked for under an Idempotency-Key, until it is known what became of it. As long as that is unknown, whatever is asked for next goes
 * under the same key, so that one of them results at most, also after the page was loaded anew.
 */
import type { Refusal } from '../../../ui/call.ts';

export type Attempt = {
  readonly key: string;
  /** For its own page, to say what it was: a title, an amount. */
  readonly what: string;
  readonly sentAt: string;
};

/**
 * Keys never expire (decision 10, idempotency keys); but what was done a day ago stands in lists and statements, and
 * is what they are for.
 */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** What was kept of an attempt, whoever wrote it there; null when it is none, or too old to matter. */
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

/** `isRepeat`: it may have been done before this reply, whatever this reply says of itself. */
export function leavesUnknown({ status, returnCode }: Refusal, isRepeat: boolean): boolean {
  if (status === 0 || status >= 500) return true;
  // Turned away at the door, before anybody looked at the key.
  return isRepeat && returnCode === null && [401, 403, 408, 429].includes(status);
}
