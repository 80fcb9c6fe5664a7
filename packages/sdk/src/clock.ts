/** Time and chance, so that tests can stand in for both. */

export type Clock = {
  /** Milliseconds from any origin, never going back. */
  readonly now: () => number;
  /** @returns what takes it back. */
  readonly schedule: (afterMs: number, run: () => void) => () => void;
  /** From 0 up to, not including, 1. */
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
