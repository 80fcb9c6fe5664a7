/** `npm run bench:billing`: charges per second beside pgbench. See bench/README.md. All take turns within each round. */
import { fileURLToPath } from 'node:url';
import { readOptions, type UsualOptions } from '../command-line.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median, overRounds, percent, shown, table } from '../markdown.ts';
import { openCounters } from '../offers/postgres-counters.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { createDatabase, openFolder, startPostgres } from '../stores.ts';
import {
  AT_ONCE,
  fundEverybody,
  ORGANISATIONS,
  openPool,
  recordCharge,
  runFunction,
  writeScripts,
} from './charging.ts';
import { findPgbench, runPgbench, versionOf } from './pgbench.ts';

const usage = `npm run bench:billing -- [--rounds 5] [--quick] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --write   puts the tables into bench/README.md`;

const migrations = fileURLToPath(new URL('../../services/billing/migrations', import.meta.url));
const spreads = [1, ORGANISATIONS] as const;
/** Of the faster of pgbench's two, over all organisations. */
const AIM = 0.9;

await runMeasurement({
  usage,
  readOptions: (args) => readOptions(args, { rounds: 5 }),
  run,
});

async function run(opened: AsyncDisposableStack, options: UsualOptions): Promise<void> {
  const program = await findPgbench();
  const folder = await openFolder(opened);
  const serverUrl = await startPostgres(opened, folder);
  const counters = opened.use(await openCounters(serverUrl));
  const databaseUrl = await createDatabase(opened, { serverUrl, name: 'billing', migrations });
  const postgres = opened.use(await openPool(databaseUrl));
  await fundEverybody(postgres);
  const recorded = await recordCharge(postgres);
  const scripts = await writeScripts(folder, recorded);
  let turns = 0;
  const byPgbench = (scriptFile: string) => (orgs: number, seconds: number) => {
    turns += 1;
    const variables = { n: 0, base: turns * AT_ONCE, orgs };
    return runPgbench({ program, scriptFile, databaseUrl, variables, clients: AT_ONCE, seconds });
  };
  const ways: Record<string, (organisations: number, seconds: number) => Promise<number>> = {
    "billing's function": (organisations, seconds) => runFunction(postgres, organisations, seconds),
    'pgbench, the same statements': byPgbench(scripts.same),
    'pgbench, plain SQL': byPgbench(scripts.plain),
  };

  // pgbench counts in whole seconds.
  const [warmUpSeconds, seconds] = options.quick ? [0, 1] : [1, 5];
  const rates = new Map(Object.keys(ways).map((way) => [way, spreads.map((): number[] => [])]));
  let disturbed = 0;
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [column, organisations] of spreads.entries()) {
      for (const [way, work] of Object.entries(ways)) {
        if (warmUpSeconds > 0) await work(organisations, warmUpSeconds);
        await waitUntilIdle();
        const foreignLoad = watchForeignLoad();
        const perSecond = await work(organisations, seconds);
        disturbed = Math.max(disturbed, foreignLoad());
        rates.get(way)?.[column]?.push(perSecond);
        say(`round ${round}  ${way.padEnd(30)} ${organisations} organisations ${shown(perSecond)}/s`);
      }
    }
  }

  const [ours = [], ...peers] = [...rates.values()].map((columns) => columns.map(median));
  const share = (column: number) =>
    (ours[column] ?? 0) / Math.max(...peers.map((columns) => columns[column] ?? 0));
  const titles = ['one hot organisation', `${shown(ORGANISATIONS)} organisations`];
  const report = [
    `${circumstances()} Postgres ${counters.version} (${counters.durability ?? '**not durable**'}), ` +
      `pgbench ${await versionOf(program)}. ${options.rounds} rounds, ${AT_ONCE} at once; medians, in brackets the ` +
      `least and the most. Other processes took at most ${percent(disturbed)} of the cores. ` +
      `Round trips of a charge: ${recorded.length}.`,
    table(
      ['charges/s', ...titles],
      [...rates].map(([way, columns]) => [way].concat(columns.map((values) => overRounds(values, 0)))),
    ),
    `Billing's function does ${percent(share(0))} of the faster pgbench with one hot organisation, and ${percent(share(1))} ` +
      `with ${titles[1]} (aim: at least ${percent(AIM)} ${share(1) >= AIM ? '✓' : '✗'}).`,
  ].join('\n\n');
  publish('billing', report, options.write && counters.durability !== null);
  if (options.write && counters.durability === null)
    throw new Error('Postgres was not durable: no table is written');
}
