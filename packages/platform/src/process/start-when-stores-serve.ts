/** Waits at a start for stores that are not available yet. */
import { isServiceUnavailable } from './faults.ts';
import { keepTrying } from './growing-pauses.ts';

/** Half of the time that Kubernetes allows for a start (`startupProbe`). */
const WITHIN_MS = 60_000;

/**
 * Calls `start`, and again while a store is unavailable. Returns its result.
 * @param signal ends the wait
 * @param report called with the reason before each wait
 * @throws at once, any other error of `start`; when the wait is over, the error of the unavailable store
 */
export async function startWhenStoresServe<T>(
  start: () => Promise<T>,
  o: { signal?: AbortSignal; report?: (problem: string) => void } = {},
): Promise<T> {
  const timeout = AbortSignal.timeout(WITHIN_MS);
  return keepTrying(start, {
    signal: o.signal === undefined ? timeout : AbortSignal.any([o.signal, timeout]),
    isPassing: isServiceUnavailable,
    onFailure: (error) => o.report?.((error as Error).message),
    pauses: { firstMs: 100, longestMs: 1_000 },
  });
}
