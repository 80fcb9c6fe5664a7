/** Advertisers who go from one journey to the next, each at its own pace, until they are stopped. */
import { reasonOf } from '@offer-ads/backing/find';
import type { Advertiser } from './advertisers.ts';
import { travel, type World } from './journey.ts';
import type { Tally } from './tally.ts';

export type Load = {
  readonly journeys: () => number;
  /** Resolves when each has come to the end of its journey. */
  readonly stop: () => Promise<void>;
};

/** More say nothing new. */
const mostFailures = 100;

export function startLoad(world: World, advertisers: readonly Advertiser[], tally: Tally): Load {
  const over = new AbortController();
  let journeys = 0;
  const travelling = advertisers.map(async (advertiser, place) => {
    for (let turn = place; !over.signal.aborted && tally.failures().length < mostFailures; turn += 1) {
      try {
        await travel(world, advertiser, turn);
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
      await Promise.all(travelling);
    },
  };
}
