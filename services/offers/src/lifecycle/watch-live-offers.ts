/** Metrics: how many offers members can see, and how many wait for a review. Every replica exports the same numbers. */
import { mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { countWaitingForReview } from '../listing/search-store.ts';
import { countLive } from '../offers-store.ts';

/** The number changes slowly. */
const COUNT_EVERY_MS = 60_000;
/** Far above the expected number. The count stops there, after some tenths of a second, so that it cannot overload the database. */
const MAX_LOOKED_AT = 100_000;
/** More than a day's work of anybody. */
const MAX_WAITING_COUNTED = 10_000;

export function watchLiveOffers(o: OffersContext): Loop {
  const live = o.metrics.gauge({
    name: 'offers_live',
    help: `Offers that members are shown: Active and not disabled, TEST offers by the test clock of their organisation. Counted among the first ${MAX_LOOKED_AT} that have not ended, LIVE before TEST`,
    labelNames: ['mode'],
  });
  const waiting = o.metrics.gauge({
    name: 'offers_waiting_for_review',
    help: `Offers whose texts or picture staff have not looked at since they were written; ${MAX_WAITING_COUNTED} stand for that many or more`,
    labelNames: ['mode'],
  });
  return startLoop({
    ...o,
    name: 'live-offers',
    everyMs: COUNT_EVERY_MS,
    work: async () => {
      const counts = await countLive(o.postgres, o.clock.now(), MAX_LOOKED_AT);
      for (const mode of modeSchema.options) {
        live.set({ mode }, counts.get(mode) ?? 0);
        waiting.set({ mode }, await countWaitingForReview(o.postgres, mode, MAX_WAITING_COUNTED));
      }
    },
  });
}
