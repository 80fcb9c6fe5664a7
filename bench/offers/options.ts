/** The command line of `npm run bench:offers`, and how much each part measures. */
import { type ReadOptions, readOptions as readUsualOptions } from '../command-line.ts';
import type { CreationPlan } from './creations.ts';
import type { ListingPlan } from './listing/listing.ts';

const partNames = ['creations', 'one-balance', 'listing', 'intake'] as const;

export type Options = ReadOptions<(typeof partNames)[number]>;

export const usage = `npm run bench:offers -- [--rounds 3] [--quick] [--parts creations,listing,...] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --parts   of ${partNames.join(', ')}
  --write   puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  return readUsualOptions(args, { rounds: 3, choice: ['parts', partNames] });
}

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
