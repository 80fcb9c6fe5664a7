/** The command line of `npm run bench:offers`, and how much each part measures. */
import { demoMemberCount } from '@offer-ads/dev/demo-data/members';
import { type ReadOptions, readOptions as readUsualOptions } from '../command-line.ts';
import type { CreationPlan } from './creations.ts';
import type { PlacementsPlan } from './placements.ts';

const partNames = ['creations', 'intake', 'placements'] as const;

export type Options = ReadOptions<(typeof partNames)[number]>;

export const usage = `npm run bench:offers -- [--rounds 3] [--quick] [--parts creations,intake,...] [--write]
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
        organisations: 4,
        members: 5_000,
        firstWarmUpSeconds: 0,
        warmUpSeconds: 0,
        saturatedSeconds: 0.5,
        aloneSeconds: 0.3,
      }
    : {
        rounds,
        organisations: 128,
        members: demoMemberCount,
        firstWarmUpSeconds: 12,
        warmUpSeconds: 4,
        saturatedSeconds: 12,
        aloneSeconds: 8,
      };
}

export function placementsPlan({ rounds, quick }: Options): PlacementsPlan {
  return quick
    ? { rounds, offers: 1_000, asked: 100, seconds: 1 }
    : { rounds, offers: 100_000, asked: 10_000, seconds: 10 };
}
