/** Whether an attempt is repeated, and when. Pure: time and chance are arguments. */

export type Attempt =
  | { readonly how: 'lost' }
  | {
      readonly how: 'replied';
      readonly status: number;
      /** `return_code`, when the body has one. */
      readonly code: string | undefined;
      readonly retryAfterMs: number | undefined;
    };

export type Limits = { readonly maxRetries: number; readonly deadlineMs: number };

export type Standing = {
  /** Sent so far, this one included. */
  readonly attempts: number;
  /** Since the call began. */
  readonly elapsedMs: number;
  /** Whether the body can be sent again. */
  readonly replayable: boolean;
  /** 0 <= random < 1. */
  readonly random: number;
};

/**
 * Every operation may be repeated: reading changes nothing, a creation carries its key, and pausing, resuming and
 * deleting state an end. So only the reply decides: what the service says will pass, and what is no answer at all. 408: an
 * upload stalled. 429, 503: it names the time. 500, 502, 504: nobody knows.
 */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export function mayPass(attempt: Attempt): boolean {
  if (attempt.how === 'lost') return true;
  // On a creation: the first request with this key is being processed. With a code (E6 on delete) it is a refusal.
  if (attempt.status === 409) return attempt.code === undefined;
  return passingStatuses.has(attempt.status);
}

/** Whether the attempt may have taken effect without saying so. */
export function mayHaveTakenEffect(attempt: Attempt): boolean {
  if (attempt.how === 'lost') return true;
  return attempt.status >= 500 && attempt.code === undefined;
}

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;
/** On top of what the service asked for, so that calls that were refused together do not come back together. */
const spreadMs = 500;

/** @returns how long to wait before the next attempt; undefined: this one was the last. */
export function waitBeforeRetry(attempt: Attempt, limits: Limits, standing: Standing): number | undefined {
  if (!mayPass(attempt) || !standing.replayable || standing.attempts > limits.maxRetries) return undefined;
  // Whole milliseconds: timers know no others, and sums of them are exact.
  const waitMs = Math.ceil(waitFor(attempt, standing));
  // An attempt that would begin after the deadline is none: better to say so now than after the wait.
  return standing.elapsedMs + waitMs < limits.deadlineMs ? waitMs : undefined;
}

function waitFor(attempt: Attempt, { attempts, random }: Standing): number {
  if (attempt.how === 'replied' && attempt.retryAfterMs !== undefined) {
    return attempt.retryAfterMs + random * spreadMs;
  }
  const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempts - 1));
  return backoffMs * (0.5 + random / 2);
}

/**
 * Seconds, as the service writes them, or a date, as proxies may.
 * @param nowMs milliseconds since 1970
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  // A bare number is no date, though `Date.parse` takes many for one.
  return /[A-Za-z]/.test(text) && Number.isFinite(atMs) ? Math.max(0, atMs - nowMs) : undefined;
}
