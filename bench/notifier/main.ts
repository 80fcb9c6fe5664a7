/** `npm run bench:notifier`: mails per second beside the pool of the library that sends them. See bench/README.md. */
import { readOptions, type UsualOptions } from '../command-line.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureNotifier } from './measure.ts';
import { notifierReport } from './report.ts';

const usage = `npm run bench:notifier -- [--rounds 5] [--quick] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --write   puts the table into bench/README.md`;

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 5 }), run });

async function run(opened: AsyncDisposableStack, options: UsualOptions): Promise<void> {
  const stores = await openStores(opened, say);
  const samples = await measureNotifier(opened, { ...options, stores, report: say });
  publish('notifier', `${circumstances()} ${notifierReport(samples)}`, options.write);
}
