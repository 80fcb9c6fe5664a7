/** What becomes of a notification after an attempt to deliver it. */
import type { Attempt } from './attempt.ts';

export type DeliveryResult =
  | { readonly state: 'sent'; readonly reply: string }
  | {
      readonly state: 'pending';
      readonly retryInMs: number;
      readonly problem: string;
      readonly attempted: boolean;
      /** The server may have taken it all the same: the next attempt may make it two. */
      readonly uncertain: boolean;
    }
  | { readonly state: 'failed'; readonly problem: string; readonly attempted: boolean }
  | { readonly state: 'suppressed'; readonly problem: string };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Quick at first, because most servers are back within a minute; then rarely, as RFC 5321 (4.5.4.1) asks. */
const delaysMs = [second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour];
/** RFC 5321: give up after four to five days. */
const giveUpAfterMs = 4 * 24 * hour;

export function deliveryResultOf(
  attempt: Attempt,
  o: {
    /** This one included. */
    readonly attempts: number;
    /** When it was to be sent for the first time, or again because a person said so. */
    readonly queuedAt: Date;
    readonly now: Date;
  },
): DeliveryResult {
  if (attempt.outcome === 'accepted') return { state: 'sent', reply: attempt.reply };
  const { problem } = attempt;
  if (attempt.outcome === 'refused') return { state: 'failed', problem, attempted: true };
  const attempted = attempt.outcome === 'deferred';
  // While no server is there, all of them wait together for the first one that gets through.
  const retryInMs = attempted ? (delaysMs[Math.min(o.attempts, delaysMs.length) - 1] ?? hour) : 0;
  if (o.now.getTime() + retryInMs > o.queuedAt.getTime() + giveUpAfterMs)
    return { state: 'failed', problem: `given up after four days: ${problem}`, attempted };
  const uncertain = attempt.outcome === 'deferred' && attempt.uncertain;
  return { state: 'pending', retryInMs, problem, attempted, uncertain };
}

/** For who has left, or has another address and was not followed there in time. */
export const withdrawn = {
  state: 'failed',
  problem: 'withdrawn: nobody in the organisation has this address any longer',
  attempted: false,
} as const satisfies DeliveryResult;

/** Its link is of no use any more. */
export const expired = {
  state: 'failed',
  problem: 'expired before it could be delivered',
  attempted: false,
} as const satisfies DeliveryResult;
