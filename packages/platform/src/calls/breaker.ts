/** The circuit breaker for calls to another service. */
import CircuitBreaker from 'opossum';
import { within } from '../process/within.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export type Breaker = {
  /** @param work must end by its own time-out: a time-out of the breaker would not stop it */
  readonly fire: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether calls are refused without an attempt. */
  readonly isOpen: () => boolean;
  readonly shutdown: () => void;
};

/** Opens when half of the calls within ten seconds failed, with at least this many calls: one failure proves nothing. */
const volumeThreshold = 5;
const errorThresholdPercentage = 50;
/** Decision 23, deadlines and outages: calls succeed again at most three seconds after a dependency is back. */
const resetTimeoutMs = 2_000;
/**
 * A call that comes while another is the trial waits at most this long for its result. Else a burst after a silence would be refused, except
 * for one.
 */
const trialWaitMs = 1_000;

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
   * all other calls wait for its end, at most a second, or are refused. So give a probe where the caller's input decides how long a call
   * lasts. Calls to Stripe and to the store of pictures need none: what they send is already in memory, so only the target can be slow.
   */
  readonly probe?: () => Promise<unknown>;
};

export function createBreaker(o: Target): Breaker {
  const { target, logger, probe } = o;
  const breaker = new CircuitBreaker<[() => Promise<unknown>]>((work) => work(), {
    name: target,
    timeout: false,
    volumeThreshold,
    errorThresholdPercentage,
    resetTimeout: resetTimeoutMs,
    errorFilter: o.isHarmless,
    // They are not used, and computing them would sort the durations of the last ten seconds once a second.
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });
  const open = o.metrics.gauge({
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
  open.set({ target }, 0);
  breaker.on('open', () => {
    open.set({ target }, 1);
    opened.inc({ target });
    logger.warn({ target }, 'breaker opened');
  });
  breaker.on('close', () => {
    open.set({ target }, 0);
    logger.info({ target }, 'breaker closed');
  });
  // Fired synchronously in this event, the probe is the one call that opossum lets through in its half-open state.
  if (probe !== undefined) breaker.on('halfOpen', () => void breaker.fire(probe).catch(() => {}));
  let trial = Promise.withResolvers<void>();
  breaker.on('halfOpen', () => (trial = Promise.withResolvers<void>()));
  breaker.on('open', () => trial.resolve());
  breaker.on('close', () => trial.resolve());
  return {
    fire: async <T>(work: () => Promise<T>) => {
      // `pendingClose` is true until the trial begins.
      if (breaker.halfOpen && !breaker.pendingClose) await within(trialWaitMs, trial.promise, () => {});
      return breaker.fire(work) as Promise<T>;
    },
    isOpen: () => breaker.opened,
    shutdown: () => breaker.shutdown(),
  };
}
