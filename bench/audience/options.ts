/** The command line. */
import { parseArgs } from 'node:util';
import { WrongOption, wholeNumber } from '../command-line.ts';
import { MOST_MEMBERS } from './members/population.ts';

export const partNames = ['counts', 'changes', 'build', 'endpoint'] as const;
export type PartName = (typeof partNames)[number];

export type Options = {
  /** How many who count, from the smallest. */
  readonly members: readonly number[];
  readonly parts: readonly PartName[];
  /** Each asks every query once. */
  readonly rounds: number;
  readonly seconds: number;
  /** Where loaded stores are kept for the next run; undefined: removed at the end. */
  readonly cache: string | undefined;
  readonly write: boolean;
};

export const usage = `npm run bench:audience -- [--members 1000000,10000000] [--parts ${partNames.join(',')}] [--rounds 3] [--seconds 15]
    [--cache FOLDER] [--quick] [--write]
  --members  how many members are counted among
  --seconds  of load for each endpoint
  --cache    keeps the loaded stores in that folder, and takes what a run before left there
  --quick    100,000 members, one round, 3 seconds: shows that everything works, measures nothing
  --write    puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      members: { type: 'string' },
      parts: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      cache: { type: 'string' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const parts = (values.parts ?? partNames.join(',')).split(',');
  const unknown = parts.filter((name) => !(partNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new WrongOption(`--parts does not know ${unknown.join(', ')}`);
  return {
    members: sizes(values.members ?? (values.quick ? '100000' : '1000000,10000000')),
    parts: parts as PartName[],
    rounds: wholeNumber('rounds', values.rounds, values.quick ? 1 : 3),
    seconds: wholeNumber('seconds', values.seconds, values.quick ? 3 : 15),
    cache: values.cache,
    write: values.write,
  };
}

function sizes(given: string): number[] {
  const numbers = given.split(',').map(Number);
  if (numbers.some((size) => !Number.isInteger(size) || size < 1_000 || size > MOST_MEMBERS)) {
    throw new WrongOption(
      `--members must be whole numbers from 1000 to ${MOST_MEMBERS}, with commas between`,
    );
  }
  return numbers.toSorted((a, b) => a - b);
}
