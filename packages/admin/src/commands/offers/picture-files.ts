/** Reads a picture that is named on the command line. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { UsageError } from '../../command.ts';

export type GivenPicture = { readonly name: string; readonly bytes?: Buffer };

/** The upload limit of `moderation`. */
const maxBytes = 5 * 2 ** 20;

/** Accepts a file, or a text that contains one of the picture's hashes, such as the address of an offer's image. */
export function readPicture(given: string): GivenPicture {
  const file = existsSync(given) ? statSync(given) : undefined;
  if (file !== undefined && !file.isDirectory()) {
    const bytes = file.size > maxBytes ? undefined : readFileSync(given);
    if (bytes === undefined || bytes.length > maxBytes)
      throw new UsageError(`${given} has more than 5 MiB, which no upload may have`);
    return { name: createHash('sha256').update(bytes).digest('hex'), bytes };
  }
  const [name] = /[0-9a-f]{64}/.exec(given) ?? [];
  if (name === undefined) throw new UsageError(`${given} is neither a file nor a hash of a picture`);
  return { name };
}
