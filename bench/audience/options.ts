/** The command line of `npm run bench:audience`. */
import { readOptions as readUsualOptions, WrongOption } from '../command-line.ts';
import { MAX_MEMBERS } from './members/population.ts';

const partNames = ['counts', 'small', 'changes', 'build'] as const;
const peers = ['postgis', 'mongo'] as const;

export type Options = {
  /** How many members count, from the smallest number. */
  readonly members: readonly number[];
  readonly parts: readonly (typeof partNames)[number][];
  /** Whether MongoDB counts too. PostGIS always does, because the aims are ratios to it. */
  readonly countsInMongo: boolean;
  /** Each round asks every query once. */
  readonly rounds: number;
  /** The folder that keeps loaded stores for the next run; without it they are removed at the end. */
  readonly cache: string | undefined;
  readonly write: boolean;
};

export const usage = `npm run bench:audience -- [--members 1000000,10000000] [--parts ${partNames.join(',')}] [--peers ${peers.join(',')}]
    [--rounds 3] [--cache FOLDER] [--quick] [--write]
  --members  how many members count
  --peers    which of them count; "postgis" leaves MongoDB out, which takes longest to fill
  --cache    keeps the loaded stores in that folder, and takes what an earlier run left there
  --quick    100,000 members, one round: shows that everything works, measures nothing
  --write    puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  const { quick, chosen, others, ...usual } = readUsualOptions(args, {
    rounds: 3,
    choice: ['parts', partNames],
    others: ['members', 'peers', 'cache'],
  });
  const members = sizes(others.members ?? (quick ? '100000' : '1000000,10000000'));
  return {
    ...usual,
    parts: chosen,
    members,
    countsInMongo: countsInMongo(others.peers),
    cache: others.cache,
  };
}

function countsInMongo(given: string = peers.join()): boolean {
  const names = given.split(',');
  if (!names.includes('postgis') || !names.every((name) => (peers as readonly string[]).includes(name)))
    throw new WrongOption('--peers must be postgis or postgis,mongo');
  return names.includes('mongo');
}

function sizes(given: string): number[] {
  const numbers = given.split(',').map(Number);
  if (numbers.some((size) => !Number.isInteger(size) || size < 1_000 || size > MAX_MEMBERS)) {
    throw new WrongOption(`--members must be whole numbers from 1000 to ${MAX_MEMBERS}, with commas between`);
  }
  return numbers.toSorted((a, b) => a - b);
}
