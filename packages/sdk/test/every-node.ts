/** The versions of Node that clients are tried on. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '@offer-ads/backing/cache-folder';

const run = promisify(execFile);
/** The oldest that the clients run on, and the one of this repository. */
const promised = [20, 24];
let found: Promise<readonly (readonly [version: string, path: string])[]> | undefined;

/** The running version, all others from 20 on in PATH, and those that are promised: from the package registry if PATH has none. */
export function everyNode(): Promise<readonly (readonly [version: string, path: string])[]> {
  found ??= findEvery();
  return found;
}

async function findEvery() {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const versions = new Map<string, string>();
  const add = async (path: string) => {
    const { stdout } = await run(path, ['-p', 'process.versions.node']);
    const version = stdout.trim();
    if (Number.parseInt(version, 10) >= 20 && !versions.has(version)) versions.set(version, path);
  };
  const paths = [process.execPath, ...inPath].filter((path) => existsSync(path));
  for (const path of new Set(paths.map((each) => realpathSync(each)))) await add(path);
  for (const major of promised)
    if (![...versions.keys()].some((version) => version.startsWith(`${major}.`)))
      await fetched(major).then(add, (error: unknown) => {
        if (process.env.CI === 'true') throw error;
        process.stderr.write(`The clients are not tried on Node ${major}: ${String(error)}\n`);
      });
  return [...versions];
}

/** It has 150 MB, so it is kept in the user's cache. */
async function fetched(major: number): Promise<string> {
  const folder = await cached(`node-${major}`, async (unfinished) => {
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', '--prefix', unfinished, `node@${major}`, ...quiet], { timeout: 400_000 });
  });
  return join(folder, 'node_modules/node/bin/node');
}
