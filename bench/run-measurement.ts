/** What every `npm run bench:...` does around its measurement. */
import { withCleanEnd } from './clean-end.ts';
import { WrongOption } from './command-line.ts';
import { machine } from './machine.ts';
import { writeIntoReadme } from './readme.ts';

export const say = (line: string): void => console.log(line);

/** @param o.forPeople errors whose message tells a person what to do, so that nobody needs their stack */
export async function runMeasurement<Options>(o: {
  readonly usage: string;
  readonly readOptions: (args: string[]) => Options;
  readonly run: (opened: AsyncDisposableStack, options: Options) => Promise<void>;
  readonly forPeople?: readonly (abstract new (...args: never[]) => Error)[];
}): Promise<void> {
  try {
    const options = o.readOptions(process.argv.slice(2));
    await withCleanEnd((opened) => o.run(opened, options));
  } catch (error) {
    if (error instanceof WrongOption) console.error(`${error.message}\n\n${o.usage}`);
    else console.error(o.forPeople?.some((kind) => error instanceof kind) ? (error as Error).message : error);
    process.exitCode = 1;
  }
}

/** Under which the figures of this run were measured. */
export function circumstances(): string {
  return `${new Date().toISOString().slice(0, 10)}; ${machine()}; Node ${process.versions.node}.`;
}

/** Says it, and puts it into the README where that was asked for. */
export function publish(name: string, report: string, write: boolean): void {
  say(`\n${report}\n`);
  if (write) writeIntoReadme(name, report);
}
