/** The command line of `npm run bench:offers`, and how much each part measures. */
import { type ReadOptions, readOptions as readUsualOptions, WrongOption } from '../command-line.ts';
import type { CreationPlan } from './creations.ts';
import type { ListingPlan } from './listing/listing.ts';

const partNames = [
  'creations',
  'one-balance',
  'listing',
  'intake',
  'payments',
  'placements',
  'placements-endpoint',
] as const;

export type Options = ReadOptions<(typeof partNames)[number]>;

export const usage = `npm run bench:offers -- [--rounds 3] [--quick] [--parts creations,listing,...] [--views 500000] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --parts   of ${partNames.join(', ')}
  --views   how many wait while payments are measured
  --write   puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  return readUsualOptions(args, { rounds: 3, choice: ['parts', partNames], others: ['views'] });
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

/** Waiting views beside which payments are measured. */
export function waitingViews({ quick, others }: Options): number {
  const count = Number(others.views ?? (quick ? 200_000 : 500_000));
  if (!Number.isSafeInteger(count) || count < 1_000 || count > 10_000_000)
    throw new WrongOption('--views must be a whole number from 1,000 to 10,000,000');
  return count;
}

/** Of each combination. */
export function oneBalanceCreations({ quick }: Options): number {
  return quick ? 200 : 2_000;
}

export function placementsPlan({ rounds, quick }: Options): {
  offers: number;
  asked: number;
  rounds: number;
  /** Of load in each round. */
  seconds: number;
} {
  return quick
    ? { rounds, offers: 10_000, asked: 500, seconds: 2 }
    : { rounds, offers: 100_000, asked: 10_000, seconds: 10 };
}
