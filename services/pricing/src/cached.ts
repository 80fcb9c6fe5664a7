/**
 * An in-memory copy of small data from MongoDB. Every replica has its own, so that estimates need no round trip and continue while MongoDB
 * is unavailable.
 */
export type Cached<T> = {
  readonly current: () => T;
  /** Reads the data again; if that fails, the old copy stays. */
  readonly refresh: () => Promise<void>;
};

/** Reads the data for the first time. Without MongoDB there is nothing to work with, so the start fails. */
export async function cache<T>(read: () => Promise<T>): Promise<Cached<T>> {
  let current = await read();
  let begun = 0;
  let shown = 0;
  return {
    current: () => current,
    refresh: async () => {
      begun += 1;
      const turn = begun;
      const value = await read();
      // Of two concurrent reads, the one that began later has the newer data, whichever ends first.
      if (turn < shown) return;
      shown = turn;
      current = value;
    },
  };
}
