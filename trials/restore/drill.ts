/**
 * `npm run drill:restore`: what docs/operations/backup-and-restore.md promises, done. A system trades, is backed up, trades on, loses every
 * store, is restored by the guide's own commands, and is audited; then billing alone, and offers alone, are put back to an earlier
 * moment. Ends with status 1 at the first thing that is not as the guide says.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { namesOf, readCommandLine } from '@offer-ads/dev/command-line';
import { say, scene } from '@offer-ads/dev/demo/checks';
import { mustBeNone, tradeOf } from '../harness/trade.ts';
import { allIsLost } from './all-is-lost.ts';
import { oneIsBehind } from './one-is-behind.ts';
import { drillStores } from './stores.ts';
import { restartableSystem } from './system.ts';

const acts = ['everything', 'billing', 'offers'] as const;
const usage = `npm run drill:restore -- [--only ${acts.join(',')}] [--without-list]
  --only           which stores are lost and restored (all three, one after the other)
  --without-list   leaves out the ten minutes for which payments are left to their webhooks before Stripe's list is asked`;

const options = readCommandLine(usage, (args) => {
  const { values } = parseArgs({
    args,
    options: {
      'without-list': { type: 'boolean', default: false },
      only: { type: 'string', default: acts.join() },
    },
  });
  return { waitsForList: !values['without-list'], acts: namesOf('only', values.only, acts) };
});
const folder = mkdtempSync(join(tmpdir(), 'restore-drill-'));
const began = performance.now();
await using running = new AsyncDisposableStack();
running.defer(() => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void running.disposeAsync().finally(() => process.exit(1)));

try {
  const stores = await drillStores(join(folder, 'stores'), say);
  running.defer(stores.stop);
  const system = restartableSystem(folder, stores);
  running.defer(system.stop);
  scene('A system of its own');
  await stores.start();
  await system.start();
  say(`runs after ${Math.round((performance.now() - began) / 1000)} s`);
  const trade = tradeOf(system);
  const pictures = {
    backUp: () =>
      cpSync(join(folder, 'images'), join(folder, 'images-backup'), { recursive: true, force: true }),
    lose: () => rmSync(join(folder, 'images'), { recursive: true, force: true }),
    restore: () => cpSync(join(folder, 'images-backup'), join(folder, 'images'), { recursive: true }),
  };
  const { waitsForList } = options;
  for (const act of options.acts)
    if (act === 'everything') await allIsLost({ stores, system, trade, pictures, waitsForList });
    else await oneIsBehind(act, { stores, system, trade });
  mustBeNone(await system.audit(), 'faults that the audit found');
  console.log(`\nAll of it is as the guide says (${Math.round((performance.now() - began) / 1000)} s).`);
} catch (error) {
  console.error('\nNOT AS IT MUST BE:', error);
  process.exitCode = 1;
}
