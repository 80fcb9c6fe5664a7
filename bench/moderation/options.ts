/** The command line. */
import { parseArgs } from 'node:util';
import { wholeNumber } from '../command-line.ts';

export type Options = { readonly rounds: number; readonly quick: boolean; readonly write: boolean };

export const usage = `npm run bench:moderation -- [--rounds 3] [--quick] [--write]
  --quick   one short round and 80 images: shows that it works, measures nothing
  --write   puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  return {
    rounds: wholeNumber('rounds', values.rounds, values.quick ? 1 : 3),
    quick: values.quick,
    write: values.write,
  };
}
