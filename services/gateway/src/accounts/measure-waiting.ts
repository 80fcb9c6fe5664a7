/** A metric: how many organisations wait for approval (decision 151, waiting for approval). */
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { countWaiting } from './organisations-store.ts';

/** Approvals take hours, and the query is small, so once a minute is enough. */
const everyMs = 60_000;

export function measureWaiting(o: {
  readonly postgres: Postgres;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): AsyncDisposable {
  const count = o.metrics.gauge({
    name: 'organisations_waiting_for_approval',
    help: 'Enabled organisations that the platform team has not approved.',
  });
  return startLoop({
    name: 'approval-look',
    everyMs,
    logger: o.logger,
    metrics: o.metrics,
    work: async () => count.set(await countWaiting(o.postgres)),
  });
}
