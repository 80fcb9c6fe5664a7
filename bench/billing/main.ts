/** `npm run bench:billing`: charges per second beside pgbench, and webhooks per second. See bench/README.md. */
import { readOptions, type UsualOptions } from '../command-line.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureBilling } from './measure.ts';
import { findPgbench, PgbenchMissing } from './pgbench.ts';
import { billingReport } from './report.ts';

const usage = `npm run bench:billing -- [--rounds 5] [--quick] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --write   puts the tables into bench/README.md`;

await runMeasurement({
  usage,
  readOptions: (args) => readOptions(args, { rounds: 5 }),
  run,
  forPeople: [PgbenchMissing],
});

async function run(opened: AsyncDisposableStack, options: UsualOptions): Promise<void> {
  const pgbench = await findPgbench();
  const stores = await openStores(opened, say);
  const run = await measureBilling(opened, { ...options, stores, pgbench, report: say });
  const isDurable = run.durability !== null;
  publish('billing', `${circumstances()} ${billingReport(run)}`, options.write && isDurable);
  if (options.write && !isDurable) throw new Error('Postgres was not durable: no table is written');
}
