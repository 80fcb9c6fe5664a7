/** What the commands of package.json share. */
import { reasonOf } from '@offer-ads/backing/find';

/**
 * Ends the process with the usage: with status 0 for `--help`, with status 1 when the options cannot be read.
 * @param read throws what is wrong with them
 */
export function readCommandLine<Options>(usage: string, read: (args: string[]) => Options): Options {
  const args = process.argv.slice(2);
  // What comes behind `--` is for another program.
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);
  if (own.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return read(args);
  } catch (error) {
    console.error(`${reasonOf(error)}\n\n${usage}`);
    process.exit(1);
  }
}

/** For a command without options, so that a misspelt one does nothing. */
export function refuseOptions(usage: string): void {
  readCommandLine(usage, ([first]) => {
    if (first !== undefined) throw new Error(`${first} is no option`);
  });
}

export function wholeNumber(option: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (given === '' || !Number.isInteger(value) || value < least || value > most)
    throw new Error(`--${option} must be a whole number from ${least} to ${most}`);
  return value;
}

/** Some of the names, separated by commas. */
export function namesOf<Name extends string>(option: string, given: string, known: readonly Name[]): Name[] {
  return given.split(',').map((wanted) => {
    const name = known.find((each) => each === wanted);
    if (name === undefined) throw new Error(`--${option} knows ${known.join(', ')}, not "${wanted}"`);
    return name;
  });
}
