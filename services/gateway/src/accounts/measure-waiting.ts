/** Metrics: how many organisations wait for approval, and for how long (decision 151, waiting for approval). */
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { findWaiting } from './organisations-store.ts';

/** Approvals take hours, and the query is small, so once a minute is enough. */
const everyMs = 60_000;

export function measureWaiting(o: {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): AsyncDisposable {
  const count = o.metrics.gauge({
    name: 'organisations_waiting_for_approval',
    help: 'Enabled organisations that the platform team has not approved.',
  });
  const age = o.metrics.gauge({
    name: 'organisations_waiting_oldest_seconds',
    help: 'How long ago the oldest of them was registered; 0 when there is none.',
  });
  return startLoop({
    name: 'approval-look',
    everyMs,
    logger: o.logger,
    metrics: o.metrics,
    work: async () => {
      const { waiting, oldest } = await findWaiting(o.postgres);
      count.set(waiting);
      age.set(oldest === null ? 0 : Math.max(0, o.clock.now().getTime() - oldest.getTime()) / 1_000);
    },
  });
}
