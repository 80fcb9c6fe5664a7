/** Looks keys up in the store, many with one statement. */
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { KeyFacts } from '../domain/limits/admission.ts';

/** How long a request waits for the store, which normally answers within a few milliseconds. After that the reply is a 503. */
const longestMs = 750;
const maxInBatch = 256;
/** Two, so that one slow statement does not stop all look-ups. */
const maxUnderWay = 2;
/** More would wait too long anyway. */
const maxWaiting = 20_000;

type Waiting = {
  readonly sha256: Buffer;
  readonly resolve: (facts: KeyFacts | null) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
};

/**
 * The first look-up starts at once. Those that come while two statements are under way are the next batch, so batches grow with the load.
 * @param find the facts of each hash, in the same order; null for a key that does not exist
 * @throws the 503 fault when the store is unavailable or too slow
 */
export function lookUpInBatches(
  find: (sha256s: readonly Buffer[]) => Promise<readonly (KeyFacts | null)[]>,
): (sha256: Buffer) => Promise<KeyFacts | null> {
  const waiting = new Set<Waiting>();
  let underWay = 0;

  function startDue(): void {
    while (waiting.size > 0 && underWay < maxUnderWay) {
      const batch = [...waiting.values().take(maxInBatch)];
      for (const one of batch) waiting.delete(one);
      underWay += 1;
      void lookUp(batch);
    }
  }

  async function lookUp(batch: readonly Waiting[]): Promise<void> {
    try {
      const facts = await find(batch.map(({ sha256 }) => sha256));
      for (const [index, { resolve }] of batch.entries()) resolve(facts[index] ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { timer } of batch) clearTimeout(timer);
      underWay -= 1;
      startDue();
    }
  }

  return (sha256) => {
    if (waiting.size >= maxWaiting)
      return Promise.reject(serviceUnavailable('too many look-ups of keys are waiting'));
    const { promise, resolve, reject } = Promise.withResolvers<KeyFacts | null>();
    const one: Waiting = {
      sha256,
      resolve,
      reject,
      timer: setTimeout(() => {
        waiting.delete(one);
        reject(serviceUnavailable('the key was not looked up in time'));
      }, longestMs),
    };
    waiting.add(one);
    startDue();
    return promise;
  };
}
