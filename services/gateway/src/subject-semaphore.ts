/** The semaphore for work on one organisation or address, which is long or waits for one lock in the store. */
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { createKeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';

/** @throws {Fault} a 503 if too many wait for the subject, or the wait takes too long */
export type SubjectSemaphore = <T>(subject: string | number, work: () => Promise<T>) => Promise<T>;

/** As for any call to a store (decision 23, deadlines and outages). */
const longestWaitMs = 2_000;

/** @param of the kind of work, for logs */
export function subjectSemaphore(of: string): SubjectSemaphore {
  const semaphore = createKeyedSemaphore({
    of,
    // The second waits at the lock itself, so that it continues as soon as the lock is free.
    atOnce: 2,
    // More people than work in one organisation at the same moment.
    waiting: 100,
    refusal: serviceUnavailable,
  });
  return (subject, work) => semaphore.run(String(subject), work, createDeadline(longestWaitMs));
}
