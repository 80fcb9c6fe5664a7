/** `npm run bench:moderation`: pictures per second, and memory. See bench/README.md. */
import { readOptions, type UsualOptions } from '../command-line.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureModeration } from './measure.ts';
import { moderationReport } from './report.ts';

const usage = `npm run bench:moderation -- [--rounds 3] [--quick] [--write]
  --quick   one short round and 80 images: shows that it works, measures nothing
  --write   puts the tables into bench/README.md`;

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 3 }), run });

async function run(opened: AsyncDisposableStack, options: UsualOptions): Promise<void> {
  const stores = await openStores(opened, say);
  const run = await measureModeration(opened, { ...options, stores, report: say });
  publish('moderation', `${circumstances()} ${moderationReport(run)}`, options.write);
}
