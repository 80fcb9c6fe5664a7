/** `npm run bench:notifier`: mails per second beside the pool of the library that sends them. See bench/README.md. */
import { withCleanEnd } from '../clean-end.ts';
import { WrongOption } from '../command-line.ts';
import { machine } from '../machine.ts';
import { writeIntoReadme } from '../readme.ts';
import { openStores } from '../stores.ts';
import { measureNotifier } from './measure.ts';
import { type Options, readOptions, usage } from './options.ts';
import { notifierReport } from './report.ts';

const say = (line: string) => console.log(line);

try {
  const options = readOptions(process.argv.slice(2));
  await withCleanEnd((opened) => run(opened, options));
} catch (error) {
  console.error(error instanceof WrongOption ? `${error.message}\n\n${usage}` : error);
  process.exitCode = 1;
}

async function run(opened: AsyncDisposableStack, options: Options): Promise<void> {
  const stores = await openStores(opened, say);
  const samples = await measureNotifier(opened, { ...options, stores, report: say });
  const when = `${new Date().toISOString().slice(0, 10)}; ${machine()}; Node ${process.versions.node}.`;
  const report = `${when} ${notifierReport(samples)}`;
  say(`\n${report}`);
  if (options.write) writeIntoReadme('notifier', report);
}
