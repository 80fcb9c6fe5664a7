/** The circuit breaker that stands before every call to another service. */
import CircuitBreaker from 'opossum';
import type { Logger } from './logging.ts';

export type Breaker<In, Out> = {
  readonly fire: (input: In) => Promise<Out>;
  /** Calls are refused without being tried. */
  readonly isOpen: () => boolean;
  readonly shutdown: () => void;
};

/** Opens when half of at least this many calls within ten seconds failed: one failure proves nothing. */
const volumeThreshold = 5;
const errorThresholdPercentage = 50;
/** Decision 23: a dependency that is back is found within three seconds. */
const resetTimeoutMs = 2_000;

export function createBreaker<In, Out>(o: {
  target: string;
  logger: Logger;
  /** Time-outs belong in here, one signal per call: the breaker's own would not stop the work. */
  attempt: (input: In) => Promise<Out>;
  /** Failures that say nothing against the target. */
  isHarmless: (error: unknown) => boolean;
}): Breaker<In, Out> {
  const breaker = new CircuitBreaker<[In], Out>(o.attempt, {
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
  breaker.on('open', () => o.logger.warn({ target: o.target }, 'breaker opened'));
  breaker.on('close', () => o.logger.info({ target: o.target }, 'breaker closed'));
  return {
    fire: (input) => breaker.fire(input),
    isOpen: () => breaker.opened,
    shutdown: () => breaker.shutdown(),
  };
}
