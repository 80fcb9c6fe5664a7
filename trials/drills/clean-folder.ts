/** Empties the folder of an earlier run, and never deletes the data of another system. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeBacking } from '@offer-ads/backing/backing';

const MARK = 'of-drills-alone';
/** The claim of the folder, and a cache, which is no data. */
const KEPT: ReadonlySet<string> = new Set([MARK, 'run', 'compile-cache']);

/** @throws if it has the data of another system */
export async function cleanFolder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const entries = readdirSync(folder);
  if (!entries.includes(MARK) && entries.some((entry) => !KEPT.has(entry)))
    throw new Error(`${folder} holds data of another system: drills need a folder of their own (DEV_FOLDER)`);
  writeFileSync(join(folder, MARK), 'Deleted at the next drill.\n');
  const backing = join(folder, 'backing');
  if (existsSync(backing)) await removeBacking(backing);
  for (const entry of readdirSync(folder))
    if (!KEPT.has(entry)) rmSync(join(folder, entry), { recursive: true, force: true });
}
