/** Reads a picture that is named on the command line. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { UsageError } from '../../command.ts';

export type GivenPicture = { readonly name: string; readonly bytes?: Buffer };

/** The upload limit of `moderation`. */
const maxBytes = 5 * 2 ** 20;

/** Accepts a file, or a text that contains one of the picture's hashes, such as the address of an offer's image. */
export function readPicture(word: string): GivenPicture {
  const file = existsSync(word) ? statSync(word) : undefined;
  if (file !== undefined && !file.isDirectory()) {
    const bytes = file.size > maxBytes ? undefined : readFileSync(word);
    if (bytes === undefined || bytes.length > maxBytes)
      throw new UsageError(`${word} has more than 5 MiB, which no upload may have`);
    return { name: createHash('sha256').update(bytes).digest('hex'), bytes };
  }
  const [name] = /[0-9a-f]{64}/.exec(word) ?? [];
  if (name === undefined) throw new UsageError(`${word} is neither a file nor a hash of a picture`);
  return { name };
}
