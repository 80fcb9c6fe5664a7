/** A start that waits for stores: one that just comes up, or stands still, is asked again. */
import { setTimeout as pause } from 'node:timers/promises';
import { isServiceUnavailable } from './faults.ts';

/** Half of what Kubernetes gives a start (`startupProbe`). */
const WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 1_000;

/**
 * What `start` gives, tried again while a store cannot serve.
 * @param signal ends the waiting
 * @param report hears each time why it has to wait
 * @throws whatever else `start` throws, at once; after a minute, that the store cannot serve
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
