/** Timeouts for many short calls with one timer, which runs only while calls wait. */

export type TimeoutWheel = Disposable & {
  /** Rejects with `NoAnswer` when the call takes longer than the timeout, plus at most a tenth. */
  readonly wait: <T>(call: Promise<T>) => Promise<T>;
};

export class NoAnswer extends Error {}

/**
 * The timeout is measured in beats of the timer and not by the clock: if the process was blocked for a while, the answer may have arrived
 * and only needs to be read.
 */
export function timeoutWheel(ms: number): TimeoutWheel {
  const beats = 10;
  const waiting = new Set<{ beatsLeft: number; readonly giveUp: () => void }>();
  let timer: NodeJS.Timeout | undefined;

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const beat = () => {
    if (waiting.size === 0) return stop();
    for (const call of waiting) {
      call.beatsLeft -= 1;
      if (call.beatsLeft > 0) continue;
      waiting.delete(call);
      call.giveUp();
    }
  };

  return {
    wait: (call) =>
      new Promise((resolve, reject) => {
        // The first beat may come at any moment, so it does not count.
        const entry = {
          beatsLeft: beats + 1,
          giveUp: () => reject(new NoAnswer(`no answer within ${ms} ms`)),
        };
        waiting.add(entry);
        timer ??= setInterval(beat, ms / beats).unref();
        call.finally(() => waiting.delete(entry)).then(resolve, reject);
      }),
    [Symbol.dispose]: stop,
  };
}
