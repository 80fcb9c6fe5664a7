/**
 * The days of the call log come and go: made a week ahead, dropped when every record of them is older than 90 days
 * (specification, Authentication item 10). A record is hidden from the very instant that it is too old, and gone at
 * most a day and an hour later.
 */

import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { type Loop, startLoop, tryWithLeadership } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { daysFrom, isOver } from '../domain/call-days.ts';
import { dropDay, listDays, makeDays, readStoreTime } from './calls-partitions-store.ts';

type Retention = { readonly postgres: Postgres; readonly clock: Clock; readonly logger: Logger };

const everyMs = 60 * 60 * 1_000;
/** Today and a week: a job that fails from Friday evening on is seen to before anything misses it. */
const daysReady = 8;

export function startRetention(o: Retention & { metrics: Metrics }): Loop {
  return startLoop({
    name: 'call-retention',
    everyMs,
    logger: o.logger,
    metrics: o.metrics,
    work: (signal) => retainCalls({ ...o, signal }),
  });
}

/** In one replica at a time; the others have nothing to do. */
export async function retainCalls(o: Retention & { signal?: AbortSignal }): Promise<void> {
  await tryWithLeadership(o.postgres, 'gateway call-retention', async () => {
    const now = o.clock.now();
    await makeDays(o.postgres, daysFrom(now, daysReady));
    // A clock that runs wrong must not drop the log: both agree that a day is over, or it stays.
    const storeNow = await readStoreTime(o.postgres);
    const earliest = now < storeNow ? now : storeNow;
    for (const stored of await listDays(o.postgres)) {
      if (o.signal?.aborted === true || !isOver(stored.day, earliest)) return;
      await dropDay(o.postgres, stored);
      o.logger.info({ day: stored.day }, 'dropped a day of the call log');
    }
  });
}
