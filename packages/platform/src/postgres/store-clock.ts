/**
 * The clock of a store, as others know it. Clocks of machines differ, and a process that stood still does not know it: so the
 * instant by which a change must be committed is told in the time of the store that commits it (docs/adr/0020).
 */
export type StoreClock = {
  /** What the store's clock showed, in Unix milliseconds, some time ago. */
  readonly note: (shownMs: number) => void;
  /** The store's time, or less: never ahead of it, because what it showed is never from the future. Undefined while nothing was noted. */
  readonly nowMs: () => number | undefined;
};

/** The best estimate of this time is kept; it is given up for a later one because clocks drift and are corrected. */
const KEPT_MS = 60_000;

export function createStoreClock(localMs = () => performance.now()): StoreClock {
  /** Store time minus local time. */
  let offsetMs: number | undefined;
  let notedAtMs = 0;
  return {
    note: (shownMs) => {
      const at = localMs();
      const offered = shownMs - at;
      // A note that was longer on its way says less.
      if (offsetMs !== undefined && offered <= offsetMs && at - notedAtMs < KEPT_MS) return;
      offsetMs = offered;
      notedAtMs = at;
    },
    nowMs: () => (offsetMs === undefined ? undefined : Math.floor(localMs() + offsetMs)),
  };
}
