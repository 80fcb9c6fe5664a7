/** Reads secrets from files, as containers get them: NAME_FILE instead of NAME. */
import { readFileSync } from 'node:fs';

/** Far more than any secret. */
const maxBytes = 64 * 1024;

export type FileContent =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** Removes the line break that editors and `echo` add at the end. Problems name neither path nor content. */
export function readSecretFile(path: string): FileContent {
  let text: string;
  try {
    text = readFileSync(path === stdin ? 0 : path, 'utf8');
  } catch (error) {
    return { ok: false, problem: problems[(error as NodeJS.ErrnoException).code ?? ''] ?? unreadable };
  }
  if (text.length > maxBytes) return { ok: false, problem: 'must name a file of at most 64 KB' };
  const value = text.replace(/\r?\n$/, '');
  return value === '' ? { ok: false, problem: 'names a file that is empty' } : { ok: true, text: value };
}

const unreadable = 'names a file that cannot be read';
const problems: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that does not exist',
  EACCES: 'names a file that this user may not read',
  EISDIR: 'names a folder: it must be a file',
};

/** What is sent to the process; opening it by its path fails when it is a socket or another user's pipe. */
const stdin = '/dev/stdin';
