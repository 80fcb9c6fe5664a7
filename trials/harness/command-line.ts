/** What the commands of trials share. */
import { reasonOf } from '@offer-ads/backing/find';

/** Resolves on Ctrl-C or SIGTERM, so that a trial can stop what it started. */
export function interruption(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'));
  });
}

/** Ends the process with the usage when the arguments are wrong. */
export function optionsOrUsage<Options>(read: (args: readonly string[]) => Options, usage: string): Options {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    console.error(`${reasonOf(error)}\n\n${usage}`);
    process.exit(1);
  }
}
