/** The folder of the stores: a temporary one, or one that is kept, so that a second run need not load again. */
import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder, releaseFolder, removeFolder, sweepAbandoned } from '@offer-ads/backing/data-folder';

export async function openFolder(opened: AsyncDisposableStack, cache: string | undefined): Promise<string> {
  if (cache !== undefined) {
    await claimFolder(cache);
    chmodSync(cache, 0o755);
    opened.defer(() => releaseFolder(cache));
    return cache;
  }
  const runs = join(tmpdir(), 'offer-ads-bench-audience');
  await sweepAbandoned(runs);
  const folder = join(runs, `${process.pid}`);
  mkdirSync(folder, { recursive: true });
  await claimFolder(folder);
  opened.defer(() => removeFolder(folder));
  return folder;
}
