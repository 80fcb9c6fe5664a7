/**
 * Deletes what is needed for some time only: data of the intake of views and clicks (decision 51, viewers are pseudonyms), and the keys of
 * edits (decision 10, idempotency keys).
 */

import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from './context.ts';
import { forgetEditKeys } from './creation/idempotency-store.ts';
import { rememberedSince, slotToEmpty } from './domain/traffic/inbox-slots.ts';
import { emptySlot, forgetTrafficEvents } from './traffic/traffic-store.ts';
import { forgetViewers } from './traffic/viewers-store.ts';

/** Late events come after an outage, and then within hours. */
const VIEWERS_KNOWN_MS = 2 * 86_400_000;
/** No client repeats a request that long after its reply was lost. */
const EDIT_KEYS_KEPT_MS = 30 * 86_400_000;
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
      await repeat(() => forgetTrafficEvents(o.postgres, rememberedSince(now), AT_ONCE), stopping);
      const viewersSince = new Date(now.getTime() - VIEWERS_KNOWN_MS);
      await repeat(() => forgetViewers(o.postgres, viewersSince, AT_ONCE), stopping);
      const editsSince = new Date(now.getTime() - EDIT_KEYS_KEPT_MS);
      await repeat(() => forgetEditKeys(o.postgres, editsSince, AT_ONCE), stopping);
    },
  });
}

async function repeat(forgetSome: () => Promise<number>, stopping: AbortSignal): Promise<void> {
  let forgotten: number;
  do forgotten = await forgetSome();
  while (forgotten === AT_ONCE && !stopping.aborted);
}
