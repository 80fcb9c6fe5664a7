/**
 * `npm run rolling`: the whole system with several replicas of each service, a steady load through the gateway, and every replica
 * replaced, restarted or killed meanwhile. Ends with status 1 when a request failed in a way that no document allows, or
 * when something is lost, doubled or unsound afterwards (docs/operations/rolling-restarts.md).
 */
import { rmSync } from 'node:fs';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { devFolder, foldersIn } from '@offer-ads/dev/start/folder';
import { makeSecrets } from '@offer-ads/dev/start/secrets';
import { interruption } from '../harness/interruption.ts';
import { startSystem } from '../harness/system.ts';
import { migrateBy } from './migrations.ts';
import { type Options, readOptions, usage } from './options.ts';
import { signedByBoth } from './rotation.ts';
import { runRounds } from './run-rounds.ts';

const say = (line: string) => console.log(line);
const { logsFolder } = foldersIn(devFolder);

try {
  process.exitCode = (await run(readCommandLine(usage, readOptions))) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

async function run(o: Options): Promise<boolean> {
  const interrupted = interruption();
  const freshSecrets = makeSecrets();
  await using system = await startSystem({
    folder: devFolder,
    say,
    report: say,
    prepare: async () => rmSync(logsFolder, { recursive: true, force: true }),
    ...(o.rounds.includes('rotation') && {
      simulatorSecrets: (secrets) => signedByBoth(secrets, freshSecrets),
    }),
    stores: { migrating: o.from === undefined ? undefined : migrateBy.bind(undefined, o.from) },
    replicas: { preStopMs: o.preStopMs, code: o.from },
  });
  const end = await Promise.race([runRounds(o, { system, freshSecrets, say }), interrupted]);
  if (end === 'interrupted') say('\nStopping ...');
  say(`\nLogs of all processes: ${logsFolder}`);
  return end === true;
}
