/**
 * `npm run lock:hashes`: gets missing hashes of packages in package-lock.json from the registry and writes them there. Exit status 1 if
 * the registry lacks some.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuseOptions } from '@offer-ads/dev/command-line';
import { repository } from '@offer-ads/dev/start/folder';
import { nameOf, withHashes, withoutHash } from './hashes.ts';
import type { Lock } from './lock.ts';

refuseOptions(
  'npm run lock:hashes writes missing hashes of packages into package-lock.json. It takes no options.',
);
const file = join(repository, 'package-lock.json');
const lock = withHashes(JSON.parse(readFileSync(file, 'utf8')) as Lock, hashOf);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
for (const entry of withoutHash(lock)) {
  console.error(`the registry does not have ${nameOf(entry)}`);
  process.exitCode = 1;
}

function hashOf(nameAndVersion: string): string | undefined {
  try {
    const printed = execFileSync('npm', ['view', nameAndVersion, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /^sha512-\S+/.exec(printed.trim())?.[0];
  } catch {
    return undefined;
  }
}
