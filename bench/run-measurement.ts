/** What every `npm run bench:...` does around its measurement. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { endCommands } from './process.ts';

const readmeFile = new URL('README.md', import.meta.url);

/** Without this program there is nothing to measure, or to compare with. The message says how to install it. */
export class ProgramMissing extends Error {
  override readonly name = 'ProgramMissing';
}
/** "Service unavailable" in BSD's sysexits.h. */
export const programMissingStatus = 69;

export const say = (line: string): void => console.log(line);

/** @param o.forPeople errors whose message says what to do, so that their stack is not printed */
export async function runMeasurement<Options>(o: {
  readonly usage: string;
  readonly readOptions: (args: string[]) => Options;
  readonly run: (opened: AsyncDisposableStack, options: Options) => Promise<void>;
  readonly forPeople?: readonly (abstract new (...args: never[]) => Error)[];
}): Promise<void> {
  const options = readCommandLine(o.usage, o.readOptions);
  try {
    await withCleanEnd((opened) => o.run(opened, options));
  } catch (error) {
    const isForPeople = [ProgramMissing, ...(o.forPeople ?? [])].some((kind) => error instanceof kind);
    console.error(isForPeople ? (error as Error).message : error);
    process.exitCode = error instanceof ProgramMissing ? programMissingStatus : 1;
  }
}

/** Runs work that starts processes. Whatever ends the work, Ctrl-C included, the processes are stopped, the last one first. */
async function withCleanEnd(work: (opened: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const opened = new AsyncDisposableStack();
  const { promise: interrupted, reject: interrupt } = Promise.withResolvers<never>();
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) return;
    asked = true;
    interrupt(new Interrupted(`stopped by ${signal}`));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const working = work(opened);
  try {
    await Promise.race([working, interrupted]);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    console.error('\nStopping ...');
    process.exitCode = 130;
  } finally {
    working.catch(() => {});
    endCommands();
    await opened.disposeAsync();
    // A process that was just starting ends with an error, or is stopped with the others.
    if (asked) process.exit();
  }
}

class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** When and on what a figure was measured. */
export function circumstances(): string {
  return `${new Date().toISOString().slice(0, 10)}; ${machine()}; Node ${process.versions.node}.`;
}

function machine(): string {
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${memoryGib} GiB`;
}

/** Prints the report. With `write` it replaces the text between the report's marks in bench/README.md. */
export function publish(name: string, report: string, write: boolean): void {
  say(`\n${report}\n`);
  if (!write) return;
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const readme = readFileSync(readmeFile, 'utf8');
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`bench/README.md has lost its marks ${begin} and ${end}`);
  writeFileSync(readmeFile, `${readme.slice(0, from + begin.length)}\n${report}\n${readme.slice(to)}`);
}
