/** Exponential backoff: retries soon after the first failure, then after longer and longer pauses. */
import { setTimeout as pause } from 'node:timers/promises';

export type PauseBounds = { readonly firstMs: number; readonly longestMs: number };

const USUAL: PauseBounds = { firstMs: 250, longestMs: 15_000 };

export type GrowingPauses = {
  /** Returns at once when the signal aborts. */
  readonly wait: () => Promise<void>;
  /** Call it after a success: the next failure counts as the first. */
  readonly startAnew: () => void;
};

export function growingPauses(signal: AbortSignal, { firstMs, longestMs } = USUAL): GrowingPauses {
  let nextMs = firstMs;
  return {
    wait: async () => {
      const pauseMs = nextMs;
      nextMs = Math.min(2 * nextMs, longestMs);
      await pause(pauseMs, undefined, { signal }).catch(() => {});
    },
    startAnew: () => {
      nextMs = firstMs;
    },
  };
}

/**
 * Repeats `work` until it succeeds.
 * @throws the last error of `work`: when the signal aborts, or at once when `isPassing` says that a retry cannot help
 */
export async function keepTrying<T>(
  work: () => Promise<T>,
  o: {
    readonly signal: AbortSignal;
    readonly isPassing?: (error: unknown) => boolean;
    readonly onFailure: (error: unknown) => void;
    readonly pauses?: PauseBounds;
  },
): Promise<T> {
  const pauses = growingPauses(o.signal, o.pauses);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (o.signal.aborted || o.isPassing?.(error) === false) throw error;
      o.onFailure(error);
      await pauses.wait();
      if (o.signal.aborted) throw error;
    }
  }
}
