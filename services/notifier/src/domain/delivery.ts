/** What becomes of a notification after an attempt to deliver it. */

export type Attempt =
  | { readonly outcome: 'accepted' }
  /** `permanent`: the server will never take this message; anything else may pass. */
  | { readonly outcome: 'refused'; readonly permanent: boolean; readonly problem: string };

export type Fate =
  | { readonly state: 'sent' }
  | { readonly state: 'pending'; readonly nextAttemptAt: Date; readonly problem: string }
  | { readonly state: 'failed'; readonly problem: string };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Quick at first, because most servers are back within a minute; then rarely, as RFC 5321 (4.5.4.1) asks. */
const delaysMs = [second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour];
/** RFC 5321: give up after four to five days. */
const giveUpAfterMs = 4 * 24 * hour;

export function fateOf(
  attempt: Attempt,
  o: {
    /** This one included. */
    readonly attempts: number;
    readonly createdAt: Date;
    readonly expiresAt: Date | undefined;
    readonly now: Date;
  },
): Fate {
  if (attempt.outcome === 'accepted') return { state: 'sent' };
  const { problem } = attempt;
  if (attempt.permanent) return { state: 'failed', problem };
  const delayMs = delaysMs[Math.min(o.attempts, delaysMs.length) - 1] ?? hour;
  const nextAttemptAt = new Date(o.now.getTime() + delayMs);
  if (nextAttemptAt.getTime() > o.createdAt.getTime() + giveUpAfterMs)
    return { state: 'failed', problem: `given up after ${o.attempts} attempts: ${problem}` };
  // An expired message is claimed once more at its expiry, only to be removed.
  const latest = o.expiresAt ?? nextAttemptAt;
  return { state: 'pending', nextAttemptAt: latest < nextAttemptAt ? latest : nextAttemptAt, problem };
}
