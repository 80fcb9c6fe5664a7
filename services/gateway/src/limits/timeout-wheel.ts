/** Time-outs for many short calls by one timer, which runs only while somebody waits. */

export type TimeoutWheel = Disposable & {
  /** Rejects when the call takes longer than the patience, and up to a tenth more. */
  readonly wait: <T>(call: Promise<T>) => Promise<T>;
};

/**
 * TimeoutWheel is worn by beats of the timer, not by the clock: a process that is kept from running for a while has not
 * waited, and the answer lies unread.
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
    for (const one of waiting) {
      one.beatsLeft -= 1;
      if (one.beatsLeft > 0) continue;
      waiting.delete(one);
      one.giveUp();
    }
  };

  return {
    wait: (call) =>
      new Promise((resolve, reject) => {
        // The first beat comes at any moment, so it is one that does not count.
        const one = { beatsLeft: beats + 1, giveUp: () => reject(new Error(`no answer within ${ms} ms`)) };
        waiting.add(one);
        timer ??= setInterval(beat, ms / beats).unref();
        call.finally(() => waiting.delete(one)).then(resolve, reject);
      }),
    [Symbol.dispose]: stop,
  };
}
