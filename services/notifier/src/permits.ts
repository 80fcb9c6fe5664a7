/** A counting semaphore whose waiters give up after a time. The order of waiting is kept. */
export type Permits = {
  /** @returns false if none became free in time */
  readonly take: () => Promise<boolean>;
  readonly giveBack: () => void;
};

export function createPermits(o: { readonly atOnce: number; readonly waitMs: number }): Permits {
  let free = o.atOnce;
  const waiting = new Set<() => void>();

  return {
    take: async () => {
      if (free > 0) {
        free -= 1;
        return true;
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const taken = () => resolve(true);
      waiting.add(taken);
      const timer = setTimeout(() => {
        if (waiting.delete(taken)) resolve(false);
      }, o.waitMs);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    giveBack: () => {
      const [next] = waiting;
      if (next === undefined) free += 1;
      else if (waiting.delete(next)) next();
    },
  };
}
