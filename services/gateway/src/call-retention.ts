/** Records of calls are deleted after 90 days (specification, Authentication item 10). */
import type { Clock } from '@offer-ads/platform/clock';
import type { Logger } from '@offer-ads/platform/logging';
import { type Loop, startLoop } from '@offer-ads/platform/loops';
import type { Metrics } from '@offer-ads/platform/metrics';
import type { Postgres } from '@offer-ads/platform/postgres';
import { deleteCallsBefore } from './calls-store.ts';

const keptForMs = 90 * 24 * 60 * 60 * 1_000;
const everyMs = 60 * 60 * 1_000;
/** What one statement deletes well within its time-out. */
const batchSize = 5_000;

export function startRetention(o: {
  postgres: Postgres;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}): Loop {
  return startLoop({
    name: 'call-retention',
    everyMs,
    logger: o.logger,
    metrics: o.metrics,
    work: async (signal) => {
      const before = new Date(o.clock.now().getTime() - keptForMs);
      let deleted = batchSize;
      while (deleted === batchSize && !signal.aborted) {
        deleted = await deleteCallsBefore(o.postgres, { before, limit: batchSize });
      }
    },
  });
}
