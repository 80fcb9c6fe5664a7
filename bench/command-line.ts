/** What the command lines of all measurements share. */
import { parseArgs } from 'node:util';

/** What most of them have. */
export type UsualOptions = { readonly rounds: number; readonly quick: boolean; readonly write: boolean };

export function readUsualOptions(args: string[], usualRounds: number): UsualOptions {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const { quick, write } = values;
  return { rounds: wholeNumber('rounds', values.rounds, quick ? 1 : usualRounds), quick, write };
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
