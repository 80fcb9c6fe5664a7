/** Something that goes on for as long as a fault lasts: bounded in time, and stopped by whoever mends it. */
import { setTimeout as pause } from 'node:timers/promises';

export type Doing = {
  /** Does the work again and again, each after the one before has ended; what it throws is part of the fault. */
  readonly keepDoing: (everyMs: number, work: () => Promise<unknown>) => void;
  readonly stopDoing: () => Promise<void>;
};

/** No fault lasts longer, whatever becomes of its drill. */
const LONGEST_MS = 15 * 60_000;

export function doing(): Doing {
  let stopping = new AbortController();
  let running: Promise<void>[] = [];
  return {
    keepDoing: (everyMs, work) => {
      const { signal } = stopping;
      const until = performance.now() + LONGEST_MS;
      const go = async () => {
        while (!signal.aborted && performance.now() < until) {
          await work().catch(() => {});
          await pause(everyMs, undefined, { signal }).catch(() => {});
        }
      };
      running.push(go());
    },
    stopDoing: async () => {
      stopping.abort();
      await Promise.all(running);
      stopping = new AbortController();
      running = [];
    },
  };
}
