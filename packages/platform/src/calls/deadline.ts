/** How long a caller still waits: set once, passed on, never extended. */
import { callerGone } from '../process/faults.ts';

export type Deadline = {
  readonly remainingMs: () => number;
  /** Aborts after what remains, or after `atMostMs` if that is sooner. */
  readonly signal: (atMostMs: number) => AbortSignal;
  /**
   * The same, but over at once when the caller leaves: for reads and checks that nobody needs then. Work that has begun
   * to change something keeps the plain deadline and is never cut short.
   */
  readonly whileAwaited: () => AwaitedDeadline;
  /** The same end in the time of the called service's store, in Unix milliseconds; undefined when the caller does not know that time. */
  readonly commitByMs: number | undefined;
};

export type AwaitedDeadline = Deadline & {
  /** @throws {Fault} `callerGone` when nobody waits for the outcome any more: asked before the first effect */
  readonly stopIfGone: () => void;
};

/** A caller that may leave before the reply is out. */
export type CallerPresence = {
  readonly leave: () => void;
  readonly hasLeft: () => boolean;
  /** Aborts with the `callerGone` fault. */
  readonly signal: () => AbortSignal;
};

/** The signal is made when it is first asked for: most requests never need it. */
export function callerPresence(): CallerPresence {
  let left = false;
  let controller: AbortController | undefined;
  return {
    leave: () => {
      left = true;
      controller?.abort(callerGone());
    },
    hasLeft: () => left,
    signal: () => {
      controller ??= new AbortController();
      if (left) controller.abort(callerGone());
      return controller.signal;
    },
  };
}

/**
 * Counts on the monotonic clock, so that a corrected wall clock neither ends nor extends a request.
 * @param caller nobody who could leave, unless given
 * @param startedAtMs on `performance.now`'s clock: now, unless given
 * @param commitByMs what the caller has said of it
 */
export function createDeadline(
  budgetMs: number,
  caller: CallerPresence = callerPresence(),
  startedAtMs = performance.now(),
  commitByMs?: number,
): Deadline {
  const endsAt = startedAtMs + budgetMs;
  const remainingMs = () => Math.max(0, endsAt - performance.now());
  const signal = (atMostMs: number) =>
    AbortSignal.timeout(Math.ceil(Math.min(remainingMs(), Math.max(0, atMostMs))));
  const awaited: AwaitedDeadline = {
    remainingMs,
    commitByMs,
    signal: (atMostMs) => AbortSignal.any([caller.signal(), signal(atMostMs)]),
    whileAwaited: () => awaited,
    stopIfGone: () => {
      if (caller.hasLeft()) throw callerGone();
    },
  };
  return { remainingMs, commitByMs, signal, whileAwaited: () => awaited };
}
