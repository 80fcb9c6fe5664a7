/** Starts work only while the memory of all running work stays below a limit; work that is too large waits. */

export type MemoryGate = {
  /** First in, first out, except that smaller work may overtake. Rejects with the signal's reason if it aborts before there was room. */
  readonly run: <T>(bytes: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
};

export function createMemoryGate(maxBytes: number): MemoryGate {
  const waiting = new Set<{ readonly bytes: number; readonly enter: () => void }>();
  let heldBytes = 0;

  function admit(): void {
    for (const next of waiting) {
      if (heldBytes + next.bytes > maxBytes) return;
      waiting.delete(next);
      heldBytes += next.bytes;
      next.enter();
    }
  }

  return {
    run: async (bytes, signal, work) => {
      if (bytes > maxBytes) throw new RangeError(`${bytes} bytes will never fit into ${maxBytes}`);
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
          // The work behind it may be small enough.
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
