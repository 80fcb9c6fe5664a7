/**
 * Creates the call log's daily partitions a week ahead, and drops each when all its records are older than 90 days (specification,
 * Authentication item 10). A record is hidden at once when it is too old, and deleted at most a day and an hour later.
 */

import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { type Loop, startLoop, tryWithLeadership } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { daysFrom, isPastRetention } from '../domain/call-days.ts';
import { dropDay, listDays, makeDays, readStoreTime } from './calls-partitions-store.ts';

type Retention = { readonly postgres: Postgres; readonly clock: Clock; readonly logger: Logger };

const everyMs = 60 * 60 * 1_000;
/** Today and a week: if the job fails on Friday evening, there is time to repair it. */
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

/** Runs in one replica at a time; the others do nothing. */
export async function retainCalls(o: Retention & { signal?: AbortSignal }): Promise<void> {
  await tryWithLeadership(o.postgres, 'gateway call-retention', async () => {
    const now = o.clock.now();
    await makeDays(o.postgres, daysFrom(now, daysReady));
    // A wrong clock must not delete the log: a day is dropped only if this clock and the database's agree that it is over.
    const storeNow = await readStoreTime(o.postgres);
    const earliest = now < storeNow ? now : storeNow;
    for (const stored of await listDays(o.postgres)) {
      if (o.signal?.aborted === true || !isPastRetention(stored.day, earliest)) return;
      await dropDay(o.postgres, stored);
      o.logger.info({ day: stored.day }, 'dropped a day of the call log');
    }
  });
}
