/** The age of the rates as a metric for alerts, and a log line when they become too old or good again. */
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { isOutOfDate, missingFixings } from '../domain/rates/target-calendar.ts';
import type { HeldRates } from './held-rates.ts';

/** Six weeks: above that, the exact number does not matter. Also reported while there are no rates. */
export const MAX_MISSING = 30;

export function ratesWatch(o: {
  readonly held: Pick<HeldRates, 'latestDate'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): () => void {
  const age = o.metrics.gauge({
    name: 'pricing_rates_missing_fixings',
    help: 'Age of the rates in working days of the central bank: the number of missing fixings; out of date from 2 on',
  });
  let wasOutOfDate = false;
  return () => {
    const now = o.clock.now();
    const latest = o.held.latestDate(now);
    age.set(latest === undefined ? MAX_MISSING : missingFixings(latest, now, MAX_MISSING));
    const outOfDate = latest === undefined || isOutOfDate(latest, now);
    if (outOfDate && !wasOutOfDate)
      o.logger.error({ latest }, 'rates are out of date: only pounds can be billed');
    if (!outOfDate && wasOutOfDate) o.logger.info({ latest }, 'rates are good again');
    wasOutOfDate = outOfDate;
  };
}
