/**
 * Finds the key of a request in Postgres, by one statement. Nothing is remembered between two requests: what a committed change says about
 * a key, its owner or its organisation holds for the next request on every replica (decision 25, revoked on every replica).
 */
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { within } from '@offer-ads/platform/process/within';

/** How long a request waits for the store, which normally answers within milliseconds. After that the reply is a 503. */
const longestMs = 750;

/** @throws the 503 fault when the store is away or too slow */
export function inTime<Facts>(
  find: (sha256: string) => Promise<Facts | null>,
): (sha256: string) => Promise<Facts | null> {
  return (sha256) =>
    within(longestMs, find(sha256), () => {
      throw serviceUnavailable('the key was not looked up in time');
    });
}
