/** The options of all measurements. */
import { parseArgs } from 'node:util';
import { namesOf, wholeNumber } from '@offer-ads/dev/command-line';

export type UsualOptions = { readonly rounds: number; readonly quick: boolean; readonly write: boolean };

export type ReadOptions<Name extends string> = UsualOptions & {
  readonly seconds: number;
  /** The parts of the measurement that were chosen; without a choice all. */
  readonly chosen: readonly Name[];
  /** The other options, as they were given. */
  readonly others: Readonly<Record<string, string | undefined>>;
};

const most = 60;

/** @param o the defaults of numbers, the option that chooses parts, and the names of other options */
export function readOptions<Name extends string = never>(
  args: string[],
  o: {
    readonly rounds: number;
    /** Without `--quick` and with it. */
    readonly seconds?: readonly [usual: number, quick: number];
    readonly choice?: readonly [option: string, names: readonly Name[]];
    readonly others?: readonly string[];
  },
): ReadOptions<Name> {
  const [choice, names] = o.choice ?? ['', []];
  const texts = [
    'rounds',
    ...(o.seconds ? ['seconds'] : []),
    ...(choice ? [choice] : []),
    ...(o.others ?? []),
  ];
  const { values } = parseArgs({
    args,
    options: {
      ...Object.fromEntries(texts.map((name) => [name, { type: 'string' as const }])),
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const { quick, write } = values;
  const given = values as unknown as Readonly<Record<string, string | undefined>>;
  const [usualSeconds, quickSeconds] = o.seconds ?? [1, 1];
  const number = (name: string, otherwise: number) =>
    wholeNumber(name, given[name] ?? `${otherwise}`, 1, most);
  return {
    rounds: number('rounds', quick ? 1 : o.rounds),
    seconds: number('seconds', quick ? quickSeconds : usualSeconds),
    quick,
    write,
    chosen: given[choice] === undefined ? names : namesOf(choice, given[choice], names),
    others: given,
  };
}
