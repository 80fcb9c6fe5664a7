/**
 * Finds the key of a request in Postgres. Nothing is remembered between two requests: what a committed change says about a key, its owner
 * or its organisation holds for the next request on every replica (decision 25, revoked on every replica).
 */
import { serviceUnavailable } from '@offer-ads/platform/process/faults';

/** How long a request waits for the store, which normally answers within milliseconds. After that the reply is a 503. */
const longestMs = 750;
/** As many as the pool has connections for look-ups, less one. */
const maxUnderWay = 4;
const maxInStatement = 256;

type LookUp<F> = PromiseWithResolvers<F | null> & { readonly timer: NodeJS.Timeout };

/**
 * Look-ups of one turn of the event loop share a statement, and requests with one key share its look-up. Those that come while as many
 * statements as allowed are under way share the next.
 * @param find the facts of those keys that exist
 * @returns null for a key that does not exist; rejects with the 503 fault when the store is away or too slow
 */
export function findByHash<F extends { readonly sha256: string }>(
  find: (sha256s: readonly string[]) => Promise<readonly F[]>,
): (sha256: string) => Promise<F | null> {
  /** By hash. As many as the server has connections at most, because each of these has one request at a time. */
  const waiting = new Map<string, LookUp<F>>();
  let underWay = 0;

  async function askForAll(): Promise<void> {
    if (underWay >= maxUnderWay || waiting.size === 0) return;
    underWay += 1;
    const asked = new Map(waiting.entries().take(maxInStatement));
    for (const sha256 of asked.keys()) waiting.delete(sha256);
    const lookUps = [...asked.values()];
    void askForAll();
    try {
      const found = await find([...asked.keys()]);
      for (const facts of found) asked.get(facts.sha256)?.resolve(facts);
      for (const { resolve } of lookUps) resolve(null);
    } catch (error) {
      for (const { reject } of lookUps) reject(error);
    }
    for (const { timer } of lookUps) clearTimeout(timer);
    underWay -= 1;
    void askForAll();
  }

  return (sha256) => {
    const shared = waiting.get(sha256);
    if (shared !== undefined) return shared.promise;
    const outcome = Promise.withResolvers<F | null>();
    const giveUp = () => {
      if (waiting.get(sha256) === lookUp) waiting.delete(sha256);
      outcome.reject(serviceUnavailable('the key was not looked up in time'));
    };
    const lookUp = { ...outcome, timer: setTimeout(giveUp, longestMs) };
    // The first of its turn asks for all of them at the turn's end.
    if (waiting.size === 0) setImmediate(() => void askForAll());
    waiting.set(sha256, lookUp);
    return outcome.promise;
  };
}
