/** JSON files of the `.dev` folder, written atomically so that a reader never sees an incomplete file. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Undefined when there is no such file. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read`, { cause: error });
  }
}

/** Readable by its owner only: most of these files hold keys. */
export function writeJson(file: string, content: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
