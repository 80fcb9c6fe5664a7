/** Downloads are kept in the user's cache, shared by every checkout and safe for several processes at once. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'offer-ads');
}

/** Fills a folder once: elsewhere first, then renamed, so that nobody ever sees half of it. */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await fill(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    // When another process was faster, its folder is as good.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}
