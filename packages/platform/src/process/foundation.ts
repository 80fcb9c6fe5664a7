/** The basic objects of every service: a clock, a logger, metrics. */
import { collectDefaultMetrics } from 'prom-client';
import { createLogger, type Logger } from '../telemetry/logging.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { type Clock, systemClock } from './clock.ts';

export type Foundation = Pick<Overrides, 'brokerNamespace'> & {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Replacements that tests pass in. */
export type Overrides = {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Isolates the queues of a test. */
  readonly brokerNamespace?: string | undefined;
};

/** The library's 10 ms would take an idle process 4 ms of processor a second, four times as much. The lag that is shown includes this time. */
const lookAtEventLoopEveryMs = 50;

export function createFoundation(service: string, level: string, overrides: Overrides): Foundation {
  const metrics = createMetrics(service);
  collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: lookAtEventLoopEveryMs });
  return {
    clock: overrides.clock ?? systemClock,
    logger: overrides.logger ?? createLogger({ service, level }),
    metrics,
    brokerNamespace: overrides.brokerNamespace,
  };
}
