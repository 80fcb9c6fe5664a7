/** Metric: how many offers members can see. Every replica exports the same number. */
import { mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { countLive } from '../offers-store.ts';

/** The number changes slowly, and counting takes some ten milliseconds. */
const COUNT_EVERY_MS = 60_000;
/** Far above the expected number. The count stops there, so that it cannot overload the database. */
const MAX_COUNTED = 100_000;

export function watchLiveOffers(o: OffersContext): Loop {
  const live = o.metrics.gauge({
    name: 'offers_live',
    help: `Offers that members are shown: Active and not disabled; ${MAX_COUNTED} in all stand for that many or more`,
    labelNames: ['mode'],
  });
  return startLoop({
    ...o,
    name: 'live-offers',
    everyMs: COUNT_EVERY_MS,
    work: async () => {
      const counts = await countLive(o.postgres, o.clock.now(), MAX_COUNTED);
      for (const mode of modeSchema.options) live.set({ mode }, counts.get(mode) ?? 0);
    },
  });
}
