/** The command lines of all measurements. */
import { parseArgs } from 'node:util';

export type UsualOptions = { readonly rounds: number; readonly quick: boolean; readonly write: boolean };

export type ReadOptions<Name extends string> = UsualOptions & {
  readonly seconds: number;
  /** The parts of the measurement that were chosen; without a choice all. */
  readonly chosen: readonly Name[];
  /** The other options, as they were given. */
  readonly others: Readonly<Record<string, string | undefined>>;
};

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
  const chosen = given[choice]?.split(',') ?? names;
  const unknown = chosen.filter((name) => !names.includes(name as Name));
  if (unknown.length > 0) throw new WrongOption(`--${choice} does not know ${unknown.join(', ')}`);
  const [usualSeconds, quickSeconds] = o.seconds ?? [1, 1];
  return {
    rounds: wholeNumber('rounds', given.rounds, quick ? 1 : o.rounds),
    seconds: wholeNumber('seconds', given.seconds, quick ? quickSeconds : usualSeconds),
    quick,
    write,
    chosen: chosen as readonly Name[],
    others: given,
  };
}

export class WrongOption extends Error {
  override readonly name = 'WrongOption';
}

export function wholeNumber(name: string, given: string | undefined, otherwise: number): number {
  const value = Number(given ?? otherwise);
  if (!Number.isInteger(value) || value < 1 || value > 60) {
    throw new WrongOption(`--${name} must be a whole number from 1 to 60`);
  }
  return value;
}
