/** The basic objects of every service: a clock, a logger, metrics. */

import { createLogger, type Logger } from '../telemetry/logging.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { type Clock, systemClock } from './clock.ts';

export type Foundation = { readonly clock: Clock; readonly logger: Logger; readonly metrics: Metrics };

/** Replacements that tests pass in. */
export type Overrides = {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Isolates the queues of a test. */
  readonly brokerNamespace?: string;
};

export function createFoundation(service: string, level: string, overrides: Overrides): Foundation {
  return {
    clock: overrides.clock ?? systemClock,
    logger: overrides.logger ?? createLogger({ service, level }),
    metrics: createMetrics(service),
  };
}
