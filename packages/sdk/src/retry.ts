/** Decides whether and when an attempt is repeated. Pure: time and randomness are arguments. */

export type Attempt =
  | { readonly how: 'lost' }
  | {
      readonly how: 'replied';
      readonly status: number;
      /** `return_code`, if the body has one. */
      readonly code: string | undefined;
      readonly retryAfterMs: number | undefined;
    };

export type Limits = { readonly maxRetries: number; readonly deadlineMs: number };

export type Standing = {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  /** Since the start of the call. */
  readonly elapsedMs: number;
  /** Whether the request can be sent again. */
  readonly replayable: boolean;
  /** 0 <= random < 1. */
  readonly random: number;
};

/**
 * Nearly every operation may be repeated: reading changes nothing, a creation has its idempotency key, and pause, resume and delete are
 * idempotent. So only the reply decides. An advance of the test clock is the exception (`once`). Temporary statuses: 408 (the upload stalled), 429 and 503 (the reply names the wait), 500, 502
 * and 504 (the outcome is unknown).
 */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export function mayPass(attempt: Attempt): boolean {
  if (attempt.how === 'lost') return true;
  // Without a code (on create): the first request with this key is still being processed. With a code (E6 on delete): a refusal.
  if (attempt.status === 409) return attempt.code === undefined;
  return passingStatuses.has(attempt.status);
}

/** Whether the attempt may have taken effect although the reply does not say so. */
export function mayHaveTakenEffect(attempt: Attempt): boolean {
  if (attempt.how === 'lost') return true;
  return attempt.status >= 500 && attempt.code === undefined;
}

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;
/** A random addition to the wait, so that calls that were refused together are not repeated together. */
const spreadMs = 500;

/** @returns how long to wait before the next attempt; undefined: this one was the last. */
export function waitBeforeRetry(attempt: Attempt, limits: Limits, standing: Standing): number | undefined {
  if (!mayPass(attempt) || !standing.replayable || standing.attempts > limits.maxRetries) return undefined;
  // Whole milliseconds: timers accept only these, and their sums are exact.
  const waitMs = Math.ceil(waitFor(attempt, standing));
  // If the wait would end after the deadline, fail now and not after the wait.
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
 * Accepts seconds (from the service) or a date (possible from proxies).
 * @param nowMs milliseconds since 1970
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  // `Date.parse` accepts many plain numbers, which are not dates.
  return /[A-Za-z]/.test(text) && Number.isFinite(atMs) ? Math.max(0, atMs - nowMs) : undefined;
}
