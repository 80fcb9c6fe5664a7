/** A steady load: buyers go from one journey to the next, each at its own pace, until the load is stopped. */
import { reasonOf } from '@offer-ads/backing/find';
import type { Buyer } from './buyers.ts';
import { type JourneyOptions, runJourney } from './journey.ts';
import type { Tally } from './tally.ts';

export type Load = {
  readonly journeys: () => number;
  /** Resolves when every buyer has finished its journey. */
  readonly stop: () => Promise<void>;
};

/** More failures say nothing new. */
const maxFailures = 100;

export function startLoad(o: JourneyOptions, buyers: readonly Buyer[], tally: Tally): Load {
  const over = new AbortController();
  let journeys = 0;
  const buying = buyers.map(async (buyer, place) => {
    for (let turn = place; !over.signal.aborted && tally.failures().length < maxFailures; turn += 1) {
      try {
        await runJourney(o, buyer, turn);
        journeys += 1;
      } catch (error) {
        tally.fail(`a journey ended: ${reasonOf(error)}`);
      }
    }
  });
  return {
    journeys: () => journeys,
    stop: async () => {
      over.abort();
      await Promise.all(buying);
    },
  };
}
