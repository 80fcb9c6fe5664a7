/** The circuit breaker for calls to another service. */
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export type Breaker<In, Out> = Pick<Circuit, 'isOpen' | 'shutdown'> & {
  readonly fire: (input: In) => Promise<Out>;
};

/** The same for calls that need no promise. */
export type Circuit = {
  /** Whether a call may be made now. Each call that begins tells its end by `succeeded` or `failed`, once. */
  readonly begin: () => boolean;
  readonly succeeded: () => void;
  readonly failed: (error: unknown) => void;
  /** Whether calls are refused, and no trial is due. */
  readonly isOpen: () => boolean;
  readonly shutdown: () => void;
};

/** What a call gets that is refused without an attempt. */
export class BreakerOpen extends Error {
  override readonly name = 'BreakerOpen';
}

/** Opens when more than half of the calls within ten seconds failed, with at least this many calls: one failure proves nothing. */
const volumeThreshold = 5;
const windowSeconds = 10;
/** Decision 23, deadlines and outages: calls succeed again at most three seconds after a dependency is back. */
const resetTimeoutMs = 2_000;

/**
 * Decision 133, what a breaker counts: only a status that says that the target (or a proxy in front of it) is unavailable counts as
 * a failure. Any other status, also a 500, may be caused by the input of that one call.
 */
export function saysUnavailable(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** A service that does not answer within a second counts as down. */
const probeMs = 1_000;

/** Any answer proves that the service is up, also a refusal. */
export async function probeLiveness(baseUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(probeMs);
  const response = await fetch(`${baseUrl}/livez`, { signal, redirect: 'manual' });
  await response.body?.cancel();
}

type Target = {
  /** Also a label of metrics, so only a few different names may be used. */
  readonly target: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Failures that do not count against the target. */
  readonly isHarmless: (error: unknown) => boolean;
  /**
   * Finds out whether the target is back; rejects when it is not. It has its own time-out. Without a probe the next call is the trial, and
   * all other calls are refused until it ends. So give a probe where the caller's input decides how long a call lasts. Calls to Stripe,
   * to a hosted model and to the store of pictures need none: what they send is already in memory, so only the target can be slow.
   */
  readonly probe?: () => Promise<unknown>;
};

/** @param o.attempt must end by its own time-out: a time-out of the breaker would not stop the work */
export function createBreaker<In, Out>(
  o: Target & { readonly attempt: (input: In) => Promise<Out> },
): Breaker<In, Out> {
  const { begin, succeeded, failed, isOpen, shutdown } = createCircuit(o);
  return {
    isOpen,
    shutdown,
    fire: async (input) => {
      if (!begin()) throw new BreakerOpen(`the breaker of ${o.target} is open`);
      try {
        const output = await o.attempt(input);
        succeeded();
        return output;
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
}

export function createCircuit(o: Target): Circuit {
  const { target, logger, probe } = o;
  const gauge = o.metrics.gauge({
    name: 'circuit_breaker_open',
    help: '1 while the breaker is open (from the first refused call until a call succeeds), else 0',
    labelNames: ['target'],
  });
  const opened = o.metrics.counter({
    name: 'circuit_breaker_opened_total',
    help: 'How often the breaker opened, including after failed trials',
    labelNames: ['target'],
    from0: { target: [target] },
  });
  gauge.set({ target }, 0);

  let state: 'closed' | 'open' | 'trial due' | 'on trial' = 'closed';
  let recent = latestCalls();
  let resetting: NodeJS.Timeout | undefined;

  const open = () => {
    state = 'open';
    gauge.set({ target }, 1);
    opened.inc({ target });
    logger.warn({ target }, 'breaker opened');
    clearTimeout(resetting);
    resetting = setTimeout(() => {
      state = 'trial due';
      if (probe !== undefined) void tryIt(probe);
    }, resetTimeoutMs).unref();
  };
  const close = () => {
    state = 'closed';
    recent = latestCalls();
    gauge.set({ target }, 0);
    logger.info({ target }, 'breaker closed');
  };
  const tryIt = async (attempt: () => Promise<unknown>) => {
    state = 'on trial';
    await attempt().then(succeeded, failed);
  };

  function begin(): boolean {
    if (state === 'closed') recent.note('begun');
    else if (state === 'trial due') state = 'on trial';
    else return false;
    return true;
  }

  /** Also the end of a call that began before the breaker opened shows that the target is back, or still away. */
  function succeeded(): void {
    if (state === 'trial due' || state === 'on trial') close();
  }

  function failed(error: unknown): void {
    if (o.isHarmless(error)) return succeeded();
    if (state === 'open') return;
    if (state !== 'closed') return open();
    recent.note('failed');
    const { begun, failed } = recent.sums();
    if (begun >= volumeThreshold && failed * 2 > begun) open();
  }

  return {
    begin,
    succeeded,
    failed,
    isOpen: () => state === 'open',
    shutdown: () => clearTimeout(resetting),
  };
}

/** How many calls of the last ten seconds began and failed, counted by seconds. */
function latestCalls() {
  type Counts = { second: number; begun: number; failed: number };
  const seconds: Counts[] = Array.from({ length: windowSeconds }, () => ({
    second: -1,
    begun: 0,
    failed: 0,
  }));
  const now = () => Math.floor(performance.now() / 1_000);
  return {
    note: (what: 'begun' | 'failed') => {
      const second = now();
      const counts = seconds[second % windowSeconds];
      if (counts === undefined) throw new Error('no such second');
      if (counts.second !== second) Object.assign(counts, { second, begun: 0, failed: 0 });
      counts[what] += 1;
    },
    sums: () => {
      const since = now() - windowSeconds;
      const inWindow = seconds.filter(({ second }) => second > since);
      const sum = (of: (counts: Counts) => number) => inWindow.reduce((all, counts) => all + of(counts), 0);
      return { begun: sum((counts) => counts.begun), failed: sum((counts) => counts.failed) };
    },
  };
}
