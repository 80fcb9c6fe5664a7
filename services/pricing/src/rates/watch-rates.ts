/** The age of the rates as a metric for alerts, and a log line when they become too old or good again. */
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { isOutOfDate, missingFixings } from '../domain/rates/target-calendar.ts';
import type { CachedRates } from './cached-rates.ts';

/** Six weeks: above that, the exact number does not matter. Also reported while there are no rates. */
const MAX_MISSING = 30;

export function ratesAge(cached: Pick<CachedRates, 'latestDate'>, now: Date) {
  const latest = cached.latestDate(now);
  if (latest === undefined) return { latest, missing: MAX_MISSING, outOfDate: true };
  return { latest, missing: missingFixings(latest, now, MAX_MISSING), outOfDate: isOutOfDate(latest, now) };
}

export function ratesWatch(o: {
  readonly cached: Pick<CachedRates, 'latestDate'>;
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
    const { latest, missing, outOfDate } = ratesAge(o.cached, o.clock.now());
    age.set(missing);
    if (outOfDate && !wasOutOfDate)
      o.logger.error({ latest }, 'rates are out of date: only pounds can be billed');
    if (!outOfDate && wasOutOfDate) o.logger.info({ latest }, 'rates are good again');
    wasOutOfDate = outOfDate;
  };
}
