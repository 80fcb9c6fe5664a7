/** How long a caller still waits: set once, passed on, never extended. */

export type Deadline = {
  readonly remainingMs: () => number;
  /** Aborts after what remains, or after `atMostMs` if that is sooner. */
  readonly signal: (atMostMs: number) => AbortSignal;
};

/** Counts on the monotonic clock, so that a corrected wall clock neither ends nor extends a request. */
export function createDeadline(budgetMs: number): Deadline {
  const endsAt = performance.now() + budgetMs;
  const remainingMs = () => Math.max(0, endsAt - performance.now());
  return {
    remainingMs,
    signal: (atMostMs) => AbortSignal.timeout(Math.ceil(Math.min(remainingMs(), Math.max(0, atMostMs)))),
  };
}
