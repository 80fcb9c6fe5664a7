/** The state of a notification after an attempt to deliver it, and when it is tried again. */
import type { AttemptResult } from './attempt.ts';

export type DeliveryResult =
  | { readonly state: 'sent'; readonly reply: string }
  | {
      readonly state: 'pending';
      readonly retryInMs: number;
      readonly problem: string;
      readonly attempted: boolean;
      /** The server may have accepted it, so the next attempt may deliver it twice. */
      readonly uncertain: boolean;
    }
  | { readonly state: 'failed'; readonly problem: string; readonly attempted: boolean }
  | { readonly state: 'suppressed'; readonly problem: string };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Short at first, because most servers are back within a minute; then long, as RFC 5321 (4.5.4.1) recommends. */
const delaysMs = [second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour];
/** RFC 5321: give up after four to five days. */
const giveUpAfterMs = 4 * 24 * hour;

export function deliveryResultOf(
  attempt: AttemptResult,
  o: {
    /** Including this one. */
    readonly attempts: number;
    /** When it was first due, or due again because a person resent it. */
    readonly queuedAt: Date;
    readonly now: Date;
  },
): DeliveryResult {
  if (attempt.outcome === 'accepted') return { state: 'sent', reply: attempt.reply };
  const { problem } = attempt;
  if (attempt.outcome === 'refused') return { state: 'failed', problem, attempted: true };
  const attempted = attempt.outcome === 'deferred';
  // While no server is available, all notifications wait for the probe that gets through.
  const retryInMs = attempted ? (delaysMs[Math.min(o.attempts, delaysMs.length) - 1] ?? hour) : 0;
  if (o.now.getTime() + retryInMs > o.queuedAt.getTime() + giveUpAfterMs)
    return { state: 'failed', problem: `given up after four days: ${problem}`, attempted };
  const uncertain = attempt.outcome === 'deferred' && attempt.uncertain;
  return { state: 'pending', retryInMs, problem, attempted, uncertain };
}

/** For a recipient who has left, or who has a new address to which the mail was not redirected in time. */
export const withdrawn = {
  state: 'failed',
  problem: 'withdrawn: no person of the organisation has this address any longer',
  attempted: false,
} as const satisfies DeliveryResult;

/** Its link has expired. */
export const expired = {
  state: 'failed',
  problem: 'expired before it could be delivered',
  attempted: false,
} as const satisfies DeliveryResult;

export type ResendRefusal = 'nobody-known' | 'under-way' | 'link-gone' | 'left';

/** Whether a person can have a notification sent again. @param o.hasLeft no person of the organisation has the address any longer */
export function resendRefusal(
  o: {
    readonly state: string;
    readonly hasMessage: boolean;
    readonly expiresAt: Date | undefined;
    readonly hasLeft: boolean;
  },
  now: Date,
): ResendRefusal | undefined {
  if (o.state === 'waiting') return 'nobody-known';
  if (o.state === 'sending') return 'under-way';
  // Links are deleted after sending, and are useless after they have expired.
  if (!o.hasMessage || (o.expiresAt !== undefined && o.expiresAt <= now)) return 'link-gone';
  // Links are sent to addresses that may not be in an organisation yet.
  return o.hasLeft && o.expiresAt === undefined ? 'left' : undefined;
}
