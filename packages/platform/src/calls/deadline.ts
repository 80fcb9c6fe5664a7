/** The deadline of a request: set once, passed on to other services, never extended. */
export type Deadline = {
  readonly remainingMs: () => number;
  /** Aborts at the deadline, or after `atMostMs` if that is sooner. */
  readonly signal: (atMostMs: number) => AbortSignal;
  /**
   * The same deadline, but it also ends when the caller disconnects: for reads and checks, which are useless then. Work that has begun to
   * change something uses the plain deadline, so that a disconnect does not interrupt it.
   */
  readonly whileAwaited: () => AwaitedDeadline;
  /** Whether the time has passed or the caller has disconnected: nobody waits for a change any more, so it must not be committed. */
  readonly isOver: () => boolean;
};

export type AwaitedDeadline = Deadline & {
  /** Call it before the first effect. @throws {Fault} `callerGone` when the caller has disconnected */
  readonly stopIfGone: () => void;
};

/**
 * Uses the monotonic clock, so that a correction of the wall clock neither ends nor extends a request.
 * @param caller aborts with the `callerGone` fault when the caller disconnects; one that never does, unless given
 * @param startedAtMs on the clock of `performance.now`: now, unless given
 */
export function createDeadline(
  budgetMs: number,
  caller?: AbortSignal,
  startedAtMs = performance.now(),
): Deadline {
  const endsAt = startedAtMs + budgetMs;
  const remainingMs = () => Math.max(0, endsAt - performance.now());
  const signal = (atMostMs: number) =>
    AbortSignal.timeout(Math.ceil(Math.min(remainingMs(), Math.max(0, atMostMs))));
  const isOver = () => remainingMs() === 0 || caller?.aborted === true;
  const awaited: AwaitedDeadline = {
    remainingMs,
    isOver,
    signal: (atMostMs) =>
      caller === undefined ? signal(atMostMs) : AbortSignal.any([caller, signal(atMostMs)]),
    whileAwaited: () => awaited,
    stopIfGone: () => caller?.throwIfAborted(),
  };
  return { remainingMs, isOver, signal, whileAwaited: () => awaited };
}
