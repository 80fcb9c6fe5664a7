/** `npm run bench:billing`: charges per second beside pgbench, and webhooks per second. See bench/README.md. */
import { withCleanEnd } from '../clean-end.ts';
import { WrongOption } from '../command-line.ts';
import { machine } from '../machine.ts';
import { writeIntoReadme } from '../readme.ts';
import { openStores } from '../stores.ts';
import { measureBilling } from './measure.ts';
import { type Options, readOptions, usage } from './options.ts';
import { findPgbench, PgbenchMissing } from './pgbench.ts';
import { billingReport } from './report.ts';

const say = (line: string) => console.log(line);

try {
  const options = readOptions(process.argv.slice(2));
  const pgbench = await findPgbench();
  await withCleanEnd((opened) => run(opened, options, pgbench));
} catch (error) {
  if (error instanceof WrongOption) console.error(`${error.message}\n\n${usage}`);
  else if (error instanceof PgbenchMissing) console.error(error.message);
  else console.error(error);
  process.exitCode = 1;
}

async function run(opened: AsyncDisposableStack, options: Options, pgbench: string): Promise<void> {
  const stores = await openStores(opened, say);
  const run = await measureBilling(opened, { ...options, stores, pgbench, report: say });
  const when = `${new Date().toISOString().slice(0, 10)}; ${machine()}; Node ${process.versions.node}.`;
  const report = `${when} ${billingReport(run)}`;
  say(`\n${report}`);
  if (!options.write) return;
  if (run.durability === null) throw new Error('Postgres was not durable: no table is written');
  writeIntoReadme('billing', report);
}
