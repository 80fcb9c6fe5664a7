/** How old the rates are, as a metric to be alerted by, and a line in the log when they begin or cease to be too old. */
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { isOutOfDate, missingFixings } from '../domain/rates/target-calendar.ts';
import type { HeldRates } from './held-rates.ts';

/** Six weeks: whoever has not looked by then needs no exact number. It is also what is told while there are no rates at all. */
export const MOST_MISSING = 30;

export function ratesWatch(o: {
  readonly held: Pick<HeldRates, 'latestDate'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): () => void {
  const age = o.metrics.gauge({
    name: 'pricing_rates_missing_fixings',
    help: 'Age of the rates in working days of the central bank: fixings that should exist and are not there; out of date from 2 on',
  });
  let wasOutOfDate = false;
  return () => {
    const now = o.clock.now();
    const latest = o.held.latestDate(now);
    age.set(latest === undefined ? MOST_MISSING : missingFixings(latest, now, MOST_MISSING));
    const outOfDate = latest === undefined || isOutOfDate(latest, now);
    if (outOfDate && !wasOutOfDate)
      o.logger.error({ latest }, 'rates are out of date: only pounds can be billed');
    if (!outOfDate && wasOutOfDate) o.logger.info({ latest }, 'rates are good again');
    wasOutOfDate = outOfDate;
  };
}
