/** Wraps any image store: a deadline and a circuit breaker per operation, one fault for every failure, metrics. */
import { type Breaker, createBreaker } from '@offer-ads/platform/calls/breaker';
import { isCallerGone, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { type ImageStore, isImageName, type StoredImage } from './images.ts';

/** Decision 23, deadlines and outages. */
export const STORE_MS = 2_000;

const operations = ['put', 'read', 'remove'] as const;
type Operation = (typeof operations)[number];

/**
 * Answers within two seconds even if the store hangs; otherwise throws the 503 fault. `callerGone` is passed on. Names that are not ours
 * never reach the store.
 */
export function guardImageStore(store: ImageStore, o: { logger: Logger; metrics: Metrics }): ImageStore {
  const durations = o.metrics.histogram({
    name: 'image_store_duration_seconds',
    help: 'Calls to the store of pictures, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
  });
  // One breaker per operation: a store that refuses to delete may still be readable.
  const breakers = Object.fromEntries(
    operations.map((operation) => [
      operation,
      createBreaker({
        target: `image-store-${operation}`,
        logger: o.logger,
        metrics: o.metrics,
        isHarmless: isCallerGone,
      }),
    ]),
  ) as Record<Operation, Breaker>;

  async function ask<T>(
    operation: Operation,
    run: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const stop = durations.startTimer({ operation });
    try {
      const answer = await breakers[operation].fire(() => withinTime(run, signal));
      stop({ outcome: 'ok' });
      return answer;
    } catch (error) {
      if (isCallerGone(error)) {
        stop({ outcome: 'caller-gone' });
        throw error;
      }
      stop({ outcome: breakers[operation].isOpen() ? 'breaker-open' : 'failed' });
      throw serviceUnavailable(`image store: ${operation} failed: ${reason(error)}`, error);
    }
  }

  return {
    put: async (name, picture, signal) => {
      if (!isImageName(name)) throw new Error('not the name of a picture');
      await ask('put', (within) => store.put(name, picture, within), signal);
    },
    read: async (name, signal) =>
      isImageName(name) ? ask('read', (within) => readInTime(store, name, within), signal) : null,
    remove: (name, signal) => ask('remove', (within) => store.remove(name, within), signal),
    [Symbol.asyncDispose]: async () => {
      for (const breaker of Object.values(breakers)) breaker.shutdown();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Closes a picture that arrives after the deadline, with its file or connection. */
async function readInTime(store: ImageStore, name: string, within: AbortSignal): Promise<StoredImage | null> {
  const found = await store.read(name, within);
  if (within.aborted) found?.bytes.destroy();
  return found;
}

/** Some work cannot be aborted, such as a hanging disk. Then at least the caller stops waiting. */
async function withinTime<T>(
  run: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const over = new AbortController();
  const end = (why: unknown) => over.abort(why);
  const tooSlow = setTimeout(() => end(new Error(`no answer within ${STORE_MS} ms`)), STORE_MS);
  const onAbort = () => end(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  const cut = new Promise<never>((_, reject) => {
    over.signal.addEventListener('abort', () => reject(over.signal.reason as Error), { once: true });
    if (over.signal.aborted) reject(over.signal.reason as Error);
  });
  try {
    return await Promise.race([cut, run(over.signal)]);
  } finally {
    // The body may be arriving from here on, and the deadline does not apply to it.
    clearTimeout(tooSlow);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Only the error code if there is one, because messages contain paths and addresses. */
function reason(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code ?? (name === 'Error' ? message : name);
}
