/**
 * `npm run rolling`: the whole system with several replicas of each service, a steady load through the gateway, and every replica
 * replaced, restarted or killed meanwhile. Ends with status 1 when a request failed in a way that no document allows, or
 * when something is lost, doubled or unsound afterwards (docs/operations/rolling-restarts.md).
 */
import { rmSync } from 'node:fs';
import { reasonOf } from '@offer-ads/backing/find';
import { devFolder, foldersIn } from '@offer-ads/dev/start/folder';
import { type Options, readOptions, usage } from './options.ts';
import { runRounds } from './run-rounds.ts';

const say = (line: string) => console.log(line);

try {
  const options = optionsOrUsage();
  const prepare = async () => rmSync(foldersIn(devFolder).logsFolder, { recursive: true, force: true });
  const isFine = await runRounds(options, { folder: devFolder, say, report: say, prepare });
  process.exitCode = isFine ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

function optionsOrUsage(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${reasonOf(error)}\n\n${usage}`);
    process.exit(1);
  }
}
