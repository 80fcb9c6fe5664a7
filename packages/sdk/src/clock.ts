/** Time and randomness, which tests replace. */

export type Clock = {
  /** Monotonic milliseconds from any origin. */
  readonly now: () => number;
  /** @returns a function that cancels it */
  readonly schedule: (afterMs: number, run: () => void) => () => void;
  /** At least 0 and less than 1. */
  readonly random: () => number;
};

export const realClock: Clock = {
  now: () => performance.now(),
  schedule: (afterMs, run) => {
    const timer = setTimeout(run, afterMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Ends early, without an error, when the signal is aborted. */
export function sleep(clock: Clock, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.schedule(waitMs, done);
    signal?.addEventListener('abort', done);
  });
}
