/** The command line. */
import { parseArgs } from 'node:util';
import { WrongOption, wholeNumber } from '../command-line.ts';

export const partNames = ['creations', 'one-balance', 'listing', 'intake'] as const;
export type PartName = (typeof partNames)[number];

export type Options = {
  readonly rounds: number;
  readonly quick: boolean;
  readonly write: boolean;
  readonly parts: readonly PartName[];
};

export const usage = `npm run bench:offers -- [--rounds 3] [--quick] [--parts creations,listing,...] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --parts   of ${partNames.join(', ')}
  --write   puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      parts: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const parts = (values.parts ?? partNames.join(',')).split(',');
  const unknown = parts.filter((name) => !(partNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new WrongOption(`--parts does not know ${unknown.join(', ')}`);
  return {
    rounds: wholeNumber('rounds', values.rounds, values.quick ? 1 : 3),
    quick: values.quick,
    write: values.write,
    parts: parts as PartName[],
  };
}
