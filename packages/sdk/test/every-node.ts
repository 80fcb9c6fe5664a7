/** The versions of Node on this machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The running version, and all others from 20 on. */
export function everyNode(): (readonly [version: string, path: string])[] {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const found = new Set(
    [process.execPath, ...paths].filter((path) => existsSync(path)).map((path) => realpathSync(path)),
  );
  const versions = new Map<string, string>();
  for (const path of found) {
    const version = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    if (Number.parseInt(version, 10) >= 20 && !versions.has(version)) versions.set(version, path);
  }
  if (versions.size === 1)
    process.stderr.write('There is no other Node: the SDK is tried with the running one alone\n');
  return [...versions];
}
