/**
 * Finds the key of a request in Postgres. Nothing is remembered between two requests: what a committed change says about a key, its owner
 * or its organisation holds for the next request on every replica (decision 25, revoked on every replica).
 */
import { serviceUnavailable } from '@offer-ads/platform/process/faults';

/** How long a request waits for the store, which normally answers within milliseconds. After that the reply is a 503. */
const longestMs = 750;
/** One statement at a time, so that under load many requests share one. A slow one keeps nobody waiting: after this time the next begins. */
const slowMs = 20;
/** Slow ones included: as many as the pool has connections for look-ups, less one. */
const maxUnderWay = 4;
const maxInStatement = 256;
/** More would wait too long anyway. */
const maxWaiting = 10_000;

type Waiting<F> = {
  readonly sha256: Buffer;
  readonly resolve: (found: F | null) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
};

/**
 * A request is looked up at once. Those that come while a statement is under way share the next, which begins after they came.
 * @param find the facts of each hash, in the same order; null for a key that does not exist
 * @returns rejects with the 503 fault when the store is away or too slow
 */
export function findByHash<F>(
  find: (sha256s: readonly Buffer[]) => Promise<readonly (F | null)[]>,
): (sha256: Buffer) => Promise<F | null> {
  const waiting = new Set<Waiting<F>>();
  let underWay = 0;
  /** Whether one of them is not slow yet. */
  let isBusy = false;

  async function askForAll(): Promise<void> {
    if (isBusy || underWay >= maxUnderWay || waiting.size === 0) return;
    isBusy = true;
    underWay += 1;
    const asked = [...waiting.values().take(maxInStatement)];
    for (const one of asked) waiting.delete(one);
    let isSlow = false;
    const slow = setTimeout(() => {
      isSlow = true;
      isBusy = false;
      void askForAll();
    }, slowMs);
    try {
      const found = await find(asked.map(({ sha256 }) => sha256));
      for (const [index, { resolve }] of asked.entries()) resolve(found[index] ?? null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    for (const { timer } of asked) clearTimeout(timer);
    clearTimeout(slow);
    underWay -= 1;
    if (!isSlow) isBusy = false;
    void askForAll();
  }

  return (sha256) => {
    if (waiting.size >= maxWaiting)
      return Promise.reject(serviceUnavailable('too many look-ups of keys are waiting'));
    const { promise, resolve, reject } = Promise.withResolvers<F | null>();
    const giveUp = () => {
      waiting.delete(one);
      reject(serviceUnavailable('the key was not looked up in time'));
    };
    const one: Waiting<F> = { sha256, resolve, reject, timer: setTimeout(giveUp, longestMs) };
    waiting.add(one);
    void askForAll();
    return promise;
  };
}
