/** The circuit breaker that stands before every call to another service. */
import CircuitBreaker from 'opossum';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export type Breaker<In, Out> = {
  readonly fire: (input: In) => Promise<Out>;
  /** Calls are refused without being tried. */
  readonly isOpen: () => boolean;
  readonly shutdown: () => void;
};

/** Opens when half of at least this many calls within ten seconds failed: one failure proves nothing. */
const volumeThreshold = 5;
const errorThresholdPercentage = 50;
/** Decision 23, deadlines and outages: a dependency that is back is found within three seconds. */
const resetTimeoutMs = 2_000;

/**
 * Decision 133, what a breaker counts: an answer counts against the target only when it says that the target, or what
 * stands before it, is away. Any other one, a 500 too, may be caused by the input of that one call.
 */
export function saysUnavailable(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** A service that does not answer in a second is not back. */
const probeMs = 1_000;

/** Whatever is answered, the service is there: its refusals are for its callers. */
export async function probeLiveness(baseUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(probeMs);
  const response = await fetch(`${baseUrl}/livez`, { signal, redirect: 'manual' });
  await response.body?.cancel();
}

export function createBreaker<In, Out>(o: {
  /** Also a label of metrics: one of a few names. */
  target: string;
  logger: Logger;
  metrics: Metrics;
  /** Time-outs belong in here, one signal per call: the breaker's own would not stop the work. */
  attempt: (input: In) => Promise<Out>;
  /** Failures that say nothing against the target. */
  isHarmless: (error: unknown) => boolean;
  /**
   * Finds out whether the target is back, within a time of its own; rejects when it is not. Without it the next call is the trial,
   * and all others are refused until it is over: give a probe where a caller decides how long a call lasts. Calls to Stripe, to a hosted model
   * and to the store of pictures need none: what they send is ours or in memory, so that only the target makes a trial long.
   */
  probe?: () => Promise<unknown>;
}): Breaker<In, Out> {
  const { probe } = o;
  const breaker = new CircuitBreaker<[() => Promise<unknown>]>((work) => work(), {
    name: o.target,
    timeout: false,
    volumeThreshold,
    errorThresholdPercentage,
    resetTimeout: resetTimeoutMs,
    errorFilter: o.isHarmless,
    // Nobody reads them, and every second they would sort the durations of all calls of the last ten.
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });
  const { target, logger } = o;
  const open = o.metrics.gauge({
    name: 'circuit_breaker_open',
    help: '1 from when calls to the target began to be refused until one got through, else 0',
    labelNames: ['target'],
  });
  const opened = o.metrics.counter({
    name: 'circuit_breaker_opened_total',
    help: 'How often calls to the target began to be refused, failed trials included',
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
  // Fired while opossum tells of its half-open state, the probe is the one call that it lets through.
  if (probe !== undefined) breaker.on('halfOpen', () => void breaker.fire(probe).catch(() => {}));
  return {
    fire: (input) => breaker.fire(() => o.attempt(input)) as Promise<Out>,
    isOpen: () => breaker.opened,
    shutdown: () => breaker.shutdown(),
  };
}
