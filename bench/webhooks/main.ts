/** `npm run bench:webhooks`: how long webhooks take to 1,000 endpoints while some of them hang. See bench/README.md. */
import { readOptions, type UsualOptions } from '../command-line.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureWebhooks } from './measure.ts';
import { webhooksReport } from './report.ts';

const usage = `npm run bench:webhooks -- [--rounds 3] [--quick] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --write   puts the table into bench/README.md`;

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 3 }), run });

async function run(opened: AsyncDisposableStack, options: UsualOptions): Promise<void> {
  const stores = await openStores(opened, say);
  const samples = await measureWebhooks({ ...options, stores, report: say });
  publish('webhooks', `${circumstances()} ${webhooksReport(samples)}`, options.write);
}
