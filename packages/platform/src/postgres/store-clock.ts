/**
 * An estimate of a store's clock. Clocks of machines differ, and a process does not notice that it was paused. So the instant by which
 * a change must be committed is given on the clock of the store that commits it (docs/adr/0020).
 */
export type StoreClock = {
  /** Records a reading of the store's clock, in Unix milliseconds. */
  readonly note: (shownMs: number) => void;
  /** The store's time or a little less, never more, because a reading is always from the past. Undefined before the first reading. */
  readonly nowMs: () => number | undefined;
};

/** The best estimate of this period is used. Older ones are replaced, because clocks drift and are corrected. */
const KEPT_MS = 60_000;

export function createStoreClock(localMs = () => performance.now()): StoreClock {
  /** Store time minus local time. */
  let offsetMs: number | undefined;
  let notedAtMs = 0;
  return {
    note: (shownMs) => {
      const at = localMs();
      const offered = shownMs - at;
      // A reading that took longer to arrive is less exact.
      if (offsetMs !== undefined && offered <= offsetMs && at - notedAtMs < KEPT_MS) return;
      offsetMs = offered;
      notedAtMs = at;
    },
    nowMs: () => (offsetMs === undefined ? undefined : Math.floor(localMs() + offsetMs)),
  };
}
