/**
 * `npm run scale`: small copies of large systems on this machine (README.md). Ends with status 1 when a request failed, something is lost or
 * unsound, or an aim is not met.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findPgbouncer } from '@offer-ads/backing/embedded/embedded-pgbouncer';
import { reasonOf } from '@offer-ads/backing/find';
import { devFolder, foldersIn } from '@offer-ads/dev/start/folder';
import { interruption } from '../harness/interruption.ts';
import { type SystemOptions, startSystem } from '../harness/system.ts';
import { type Options, readOptions, usage } from './options.ts';
import { runReplicas } from './replicas/run-replicas.ts';
import { compareStores } from './store/compare-stores.ts';
import { prepareStore } from './store/prepare-store.ts';

const say = (line: string) => console.log(line);

try {
  process.exitCode = (await run(optionsOrUsage())) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

async function run(o: Options): Promise<boolean> {
  const interrupted = interruption().then(() => {
    throw new Error('interrupted');
  });
  await using started = new AsyncDisposableStack();
  const trial = o.trial === 'store' ? tryStore(o, started) : tryReplicas(o, started);
  return await Promise.race([trial, interrupted]);
}

async function tryStore(o: Options, started: AsyncDisposableStack): Promise<boolean> {
  const sizes = {
    small: { offers: 10_000, organisations: 1_000, callers: 50 },
    large: { offers: o.offers, organisations: o.organisations, callers: 50 },
  };
  const filled = async (which: keyof typeof sizes) => {
    const system = started.use(await startSystem(inFolder(which)));
    say(`Filling the ${which} store ...`);
    return prepareStore(system, sizes[which], say);
  };
  const stores = { small: await filled('small'), large: await filled('large') };
  const compared = await compareStores(stores, { ...o, say });
  say(`\n${compared.table}\n`);
  const problems = [...(await stores.small.ledgerProblems()), ...(await stores.large.ledgerProblems())];
  for (const problem of problems) say(`  NOT AS IT MUST BE: ${problem}`);
  return compared.isAimMet && problems.length === 0;
}

async function tryReplicas(o: Options, started: AsyncDisposableStack): Promise<boolean> {
  const system = started.use(
    await startSystem({
      ...inFolder('replicas'),
      replicas: { preStopMs: 2_000 },
      // So many replicas have more connections than Postgres takes.
      pgbouncer: await findPgbouncer(say),
    }),
  );
  const plan = {
    replicas: o.replicas,
    idleMs: 60_000,
    lightLoadMs: 60_000 * o.minutes,
    // Two cores start two processes at once.
    servicesAtOnce: 2,
  };
  return runReplicas(plan, { system, say });
}

/** Begins anew each time, because filled stores are not filled twice. Only the claim of the folder and compiled code stay. */
function inFolder(name: string): SystemOptions {
  const folder = join(devFolder, name);
  const { runFolder, compileCacheFolder } = foldersIn(folder);
  const kept = new Set([runFolder, compileCacheFolder].map((each) => basename(each)));
  return {
    folder,
    say,
    report: say,
    prepare: async () => {
      for (const name of readdirSync(folder))
        if (!kept.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
    },
  };
}

function optionsOrUsage(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${reasonOf(error)}\n\n${usage}`);
    process.exit(1);
  }
}
