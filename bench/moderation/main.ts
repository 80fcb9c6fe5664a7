/** `npm run bench:moderation`: pictures per second beside the plain CPU backend, and memory. See bench/README.md. */
import { withCleanEnd } from '../clean-end.ts';
import { WrongOption } from '../command-line.ts';
import { machine } from '../machine.ts';
import { writeIntoReadme } from '../readme.ts';
import { openStores } from '../stores.ts';
import { measureModeration } from './measure.ts';
import { type Options, readOptions, usage } from './options.ts';
import { moderationReport } from './report.ts';

const say = (line: string) => console.log(line);

try {
  const options = readOptions(process.argv.slice(2));
  await withCleanEnd((opened) => run(opened, options));
} catch (error) {
  if (error instanceof WrongOption) console.error(`${error.message}\n\n${usage}`);
  else console.error(error);
  process.exitCode = 1;
}

async function run(opened: AsyncDisposableStack, options: Options): Promise<void> {
  const stores = await openStores(opened, say);
  const run = await measureModeration(opened, { ...options, stores, report: say });
  const when = `${new Date().toISOString().slice(0, 10)}; ${machine()}; Node ${process.versions.node}.`;
  const report = `${when} ${moderationReport(run)}`;
  say(`\n${report}`);
  if (options.write) writeIntoReadme('moderation', report);
}
