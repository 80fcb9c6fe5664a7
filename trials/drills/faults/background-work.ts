/** Work that repeats for as long as a fault lasts. It is bounded in time. */
import { setTimeout as pause } from 'node:timers/promises';

export type BackgroundWork = {
  /** Repeats the work, each time after the one before has ended. What it throws is part of the fault. */
  readonly repeat: (everyMs: number, work: () => Promise<unknown>) => void;
  readonly stopRepeating: () => Promise<void>;
};

/** No fault lasts longer, whatever happens to its drill. */
const LONGEST_MS = 15 * 60_000;

export function createBackgroundWork(): BackgroundWork {
  let stopping = new AbortController();
  let running: Promise<void>[] = [];
  return {
    repeat: (everyMs, work) => {
      const { signal } = stopping;
      const until = performance.now() + LONGEST_MS;
      const loop = async () => {
        while (!signal.aborted && performance.now() < until) {
          await work().catch(() => {});
          await pause(everyMs, undefined, { signal }).catch(() => {});
        }
      };
      running.push(loop());
    },
    stopRepeating: async () => {
      stopping.abort();
      await Promise.all(running);
      stopping = new AbortController();
      running = [];
    },
  };
}
