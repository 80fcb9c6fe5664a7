/**
 * Deletes what is needed for some time only: data of the intake of views and clicks (decision 51, viewers are pseudonyms), what viewers were
 * shown and the shares of offers (decision 202, turns and fair share), and the keys of edits (decision 10, idempotency keys).
 */

import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from './context.ts';
import { INBOX_DAYS, slotToEmpty } from './domain/traffic/inbox-slots.ts';
import { type Forgettable, forget } from './pruning-store.ts';
import { emptySlot } from './traffic/traffic-store.ts';

const keptDays: Record<Forgettable, number> = {
  traffic_inbox_other_days: INBOX_DAYS,
  // Late events come after an outage, and then within hours.
  traffic_viewers: 2,
  // No client repeats a request that long after its reply was lost.
  idempotency_keys: 30,
  placement_viewers: 0,
  placement_shares: 30,
};
const PRUNE_EVERY_MS = 600_000;
/** Deleting this many takes some ten milliseconds, so no other statement waits long and none meets its timeout. */
const AT_ONCE = 5_000;

export function startPruning(o: Pick<OffersContext, 'postgres' | 'clock' | 'logger' | 'metrics'>): Loop {
  return startLoop({
    ...o,
    name: 'offers-pruning',
    everyMs: PRUNE_EVERY_MS,
    work: async (stopping) => {
      const now = o.clock.now();
      await emptySlot(o.postgres, slotToEmpty(now));
      for (const [table, days] of Object.entries(keptDays) as [Forgettable, number][]) {
        const before = new Date(now.getTime() - days * DAY_MS);
        while ((await forget(o.postgres, table, before, AT_ONCE)) === AT_ONCE && !stopping.aborted);
      }
    },
  });
}
