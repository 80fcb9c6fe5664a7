/** The deadline of a request: set once, passed on to other services, never extended. */
import { callerGone } from '../process/faults.ts';

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

/** A caller that may disconnect before the reply is sent. */
export type CallerPresence = {
  readonly leave: () => void;
  readonly hasLeft: () => boolean;
  /** Aborts with the `callerGone` fault. */
  readonly signal: () => AbortSignal;
};

/** Creates the signal on first use: most requests never need it. */
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
 * Uses the monotonic clock, so that a correction of the wall clock neither ends nor extends a request.
 * @param caller a caller that never leaves, unless given
 * @param startedAtMs on the clock of `performance.now`: now, unless given
 */
export function createDeadline(
  budgetMs: number,
  caller: CallerPresence = callerPresence(),
  startedAtMs = performance.now(),
): Deadline {
  const endsAt = startedAtMs + budgetMs;
  const remainingMs = () => Math.max(0, endsAt - performance.now());
  const signal = (atMostMs: number) =>
    AbortSignal.timeout(Math.ceil(Math.min(remainingMs(), Math.max(0, atMostMs))));
  const isOver = () => remainingMs() === 0 || caller.hasLeft();
  const awaited: AwaitedDeadline = {
    remainingMs,
    isOver,
    signal: (atMostMs) => AbortSignal.any([caller.signal(), signal(atMostMs)]),
    whileAwaited: () => awaited,
    stopIfGone: () => {
      if (caller.hasLeft()) throw callerGone();
    },
  };
  return { remainingMs, isOver, signal, whileAwaited: () => awaited };
}
