/** Files that are named on the command line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { UsageError } from './command.ts';

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`cannot read ${path}`);
  }
}

/** Never overwrites a file. */
export function writeNew(path: string, content: string | Buffer): void {
  try {
    writeFileSync(path, content, { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new UsageError(exists ? `${path} exists already` : `cannot write ${path}`);
  }
}
