/** Runs the command of a trial at a small size, with the stores of the test run and a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder } from '@offer-ads/backing/data-folder';
import { repository } from '@offer-ads/dev/start/folder';
import { storesOfRun } from './test-system.ts';

/** Returns what the command printed; throws it when the exit status is not 0. */
export async function runTrial(main: string, ...args: readonly string[]): Promise<string> {
  await using running = new AsyncDisposableStack();
  mkdirSync(join(repository, '.dev'), { recursive: true });
  const folder = running.adopt(mkdtempSync(join(repository, '.dev/trial-')), removeFolder);
  const { env, dispose } = await storesOfRun();
  running.defer(dispose);
  const child = spawn(process.execPath, [join('trials', main), ...args], {
    cwd: repository,
    env: { ...process.env, ...env, DEV_FOLDER: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      printed += String(text);
    });
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (status !== 0) throw new Error(`${main} ended with ${signal ?? `status ${status}`}:\n${printed}`);
  return printed;
}
