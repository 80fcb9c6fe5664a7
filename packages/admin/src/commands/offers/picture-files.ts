/** Pictures as a person at a terminal names and keeps them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from '../../command.ts';

export type GivenPicture = { readonly name: string; readonly bytes?: Buffer };

/** What `moderation` takes as an upload. */
const mostBytes = 5 * 2 ** 20;

/** A file, or a text that holds one of the picture's names, such as the address of an offer's image. */
export function readPicture(word: string): GivenPicture {
  const file = existsSync(word) ? statSync(word) : undefined;
  if (file !== undefined && !file.isDirectory()) {
    const bytes = file.size > mostBytes ? undefined : readFileSync(word);
    if (bytes === undefined || bytes.length > mostBytes)
      throw new UsageError(`${word} has more than 5 MiB, which no upload may have`);
    return { name: createHash('sha256').update(bytes).digest('hex'), bytes };
  }
  const [name] = /[0-9a-f]{64}/.exec(word) ?? [];
  if (name === undefined) throw new UsageError(`${word} is no file and no hash of a picture`);
  return { name };
}

export function writePicture(path: string, content: Buffer): void {
  try {
    // Never over something else by mistake.
    writeFileSync(path, content, { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new UsageError(exists ? `${path} exists already` : `cannot write ${path}`);
  }
}
