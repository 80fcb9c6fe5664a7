/** How long and how much, for a measurement and for a look whether it works. */
import type { CreationPlan } from './creations.ts';
import type { ListingPlan } from './listing/listing.ts';
import type { Options } from './options.ts';

export function creationPlan({ rounds, quick }: Options): CreationPlan {
  return quick
    ? {
        rounds,
        firstWarmUpSeconds: 2,
        warmUpSeconds: 1,
        saturatedSeconds: 4,
        aloneSeconds: 2,
        peerSeconds: 1,
        diskSeconds: 0.5,
      }
    : {
        rounds,
        firstWarmUpSeconds: 12,
        warmUpSeconds: 4,
        saturatedSeconds: 12,
        aloneSeconds: 8,
        peerSeconds: 3,
        diskSeconds: 2,
      };
}

export function listingPlan({ rounds, quick }: Options): ListingPlan {
  return quick
    ? { rounds, offers: 50_000, farPage: 1_000, askedEach: 50 }
    : { rounds, offers: 1_000_000, farPage: 10_000, askedEach: 600 };
}

/** Of each combination. */
export function oneBalanceCreations({ quick }: Options): number {
  return quick ? 200 : 2_000;
}
