/** A bounded queue before the decoders: so many pictures at once, so many waiting, and a plain no to the rest. */
import { isCallerGone, serviceUnavailable } from '@offer-ads/platform/faults';

export type Admission = {
  /**
   * Runs the work when a place is free. Rejects with a 503 at once when too many wait, and when the signal ends first.
   * Work that has begun keeps its place until it is done, because it goes on using processor and memory.
   */
  readonly run: <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
  readonly waiting: () => number;
};

export function createAdmission(o: { readonly atOnce: number; readonly mostWaiting: number }): Admission {
  const waiting = new Set<() => void>();
  let running = 0;

  function run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(tooLate(signal));
      if (running >= o.atOnce && waiting.size >= o.mostWaiting)
        return reject(serviceUnavailable(`${waiting.size} pictures wait already`));
      const giveUp = () => {
        waiting.delete(begin);
        reject(tooLate(signal));
      };
      const begin = () => {
        waiting.delete(begin);
        running += 1;
        void work()
          .then(resolve, reject)
          .finally(() => {
            signal.removeEventListener('abort', giveUp);
            running -= 1;
            const [next] = waiting;
            next?.();
          });
      };
      signal.addEventListener('abort', giveUp, { once: true });
      if (running < o.atOnce) begin();
      else waiting.add(begin);
    });
  }

  return { run, waiting: () => waiting.size };
}

function tooLate(signal: AbortSignal) {
  const why: unknown = signal.reason;
  if (isCallerGone(why)) return why;
  return serviceUnavailable('no verdict within the time that the caller waits', why);
}
