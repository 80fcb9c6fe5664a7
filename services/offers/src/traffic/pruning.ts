/** Deletes data that the intake of views and clicks needs for a few days only (decision 51, viewers are pseudonyms). */

import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { forgetTrafficEvents } from './traffic-store.ts';
import { forgetViewers } from './viewers-store.ts';

/** Longer than any retry and a weekend's outage: a repeated event does not arrive later than this. */
const EVENTS_KNOWN_MS = 3 * 86_400_000;
/** Late events come after an outage, and then within hours. */
const VIEWERS_KNOWN_MS = 2 * 86_400_000;
const PRUNE_EVERY_MS = 600_000;
/** Deleting this many takes some ten milliseconds, so no other statement waits long and none meets its timeout. */
const AT_ONCE = 5_000;

export function startTrafficPruning(
  o: Pick<OffersContext, 'postgres' | 'clock' | 'logger' | 'metrics'>,
): Loop {
  return startLoop({
    ...o,
    name: 'traffic-pruning',
    everyMs: PRUNE_EVERY_MS,
    work: async (stopping) => {
      const before = (knownMs: number) => new Date(o.clock.now().getTime() - knownMs);
      await repeat(() => forgetTrafficEvents(o.postgres, before(EVENTS_KNOWN_MS), AT_ONCE), stopping);
      await repeat(() => forgetViewers(o.postgres, before(VIEWERS_KNOWN_MS), AT_ONCE), stopping);
    },
  });
}

async function repeat(forgetSome: () => Promise<number>, stopping: AbortSignal): Promise<void> {
  let forgotten: number;
  do forgotten = await forgetSome();
  while (forgotten === AT_ONCE && !stopping.aborted);
}
