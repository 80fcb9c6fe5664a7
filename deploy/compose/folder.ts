/** The folder of secrets, and `.env`: made where they are missing. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, inventFiles, storeFiles } from './secrets.ts';

/**
 * Nobody but its owner may enter the folder, and whoever is let in may read its files: containers run as users of their own
 * (1000, 999, 472), and each gets just the files that docker-compose.yml hands it, past the folder.
 */
const ofFolder = 0o700;
const ofFiles = 0o644;

/** What was there stays as it is, but for what stores are told. @returns the names of new files */
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

/** A killed set-up leaves no half of a secret behind. */
function writeWhole(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  chmodSync(`${file}.new`, ofFiles);
  renameSync(`${file}.new`, file);
}
