/** Lets work begin while what all of it holds together stays within bounds; whoever is too large for now waits. */

export type MemoryGate = {
  /** Rejects with the signal's reason when it ends before there was room. Whoever came first goes first. */
  readonly run: <T>(bytes: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
};

export function createMemoryGate(mostBytes: number): MemoryGate {
  const waiting = new Set<{ readonly bytes: number; readonly enter: () => void }>();
  let heldBytes = 0;

  function admit(): void {
    for (const next of waiting) {
      if (heldBytes + next.bytes > mostBytes) return;
      waiting.delete(next);
      heldBytes += next.bytes;
      next.enter();
    }
  }

  return {
    run: async (bytes, signal, work) => {
      if (bytes > mostBytes) throw new RangeError(`${bytes} bytes will never fit into ${mostBytes}`);
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const place = { bytes, enter };
        function enter() {
          signal.removeEventListener('abort', leave);
          resolve();
        }
        function leave() {
          waiting.delete(place);
          reject(signal.reason);
          // Those behind may be small enough.
          admit();
        }
        signal.addEventListener('abort', leave, { once: true });
        waiting.add(place);
        admit();
      });
      try {
        return await work();
      } finally {
        heldBytes -= bytes;
        admit();
      }
    },
  };
}
