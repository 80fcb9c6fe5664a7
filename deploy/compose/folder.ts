/** Creates the folder of secrets and `.env` if they are missing. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, inventFiles, storeFiles } from './secrets.ts';

/**
 * Only the owner may enter the folder, but its files are readable for all: containers run as other users (1000, 999, 472), and
 * docker-compose.yml mounts only single files into each.
 */
const ofFolder = 0o700;
const ofFiles = 0o644;

/** Keeps existing files, except those for the stores' users. @returns the names of new files */
export function writeSecrets(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, ofFolder);
  const known = readSecrets(folder);
  const made = [...inventFiles(known)].filter(([name]) => !known.has(name));
  for (const [name, value] of made) writeWhole(join(folder, name), value);
  for (const [name, value] of storeFiles(new Map([...known, ...made]))) writeWhole(join(folder, name), value);
  return made.map(([name]) => name);
}

function readSecrets(folder: string): Files {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const contentOf = (name: string) => readFileSync(join(folder, name), 'utf8').replace(/\r?\n$/, '');
  return new Map(files.map(({ name }) => [name, contentOf(name)]));
}

/** Writes to a temporary file first, so that an interrupted set-up leaves no incomplete secret. */
function writeWhole(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  chmodSync(`${file}.new`, ofFiles);
  renameSync(`${file}.new`, file);
}
