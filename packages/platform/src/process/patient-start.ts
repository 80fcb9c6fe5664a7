/** Waits at a start for stores that are not available yet. */
import { setTimeout as pause } from 'node:timers/promises';
import { isServiceUnavailable } from './faults.ts';

/** Half of the time that Kubernetes allows for a start (`startupProbe`). */
const WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 1_000;

/**
 * Calls `start`, and again while a store is unavailable. Returns its result.
 * @param signal ends the wait
 * @param report called with the reason before each wait
 * @throws at once, any other error of `start`; after a minute, the error of the unavailable store
 */
export async function startWhenStoresServe<T>(
  start: () => Promise<T>,
  o: { signal?: AbortSignal; report?: (problem: string) => void } = {},
): Promise<T> {
  const giveUpAt = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isOver = o.signal?.aborted === true || performance.now() > giveUpAt;
      if (isOver || !isServiceUnavailable(error)) throw error;
      o.report?.(error.message);
    }
    await pause(AGAIN_AFTER_MS, undefined, { signal: o.signal }).catch(() => {});
  }
}
