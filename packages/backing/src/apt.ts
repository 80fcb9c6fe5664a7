/** Installs a server with the package manager of Debian or Ubuntu, without starting it as a service. */
import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { found, type Look, notFound, reasonOf } from './find.ts';
import { onPath } from './on-path.ts';

const run = promisify(execFile);

/** Debian asks this script whether services may start while packages are installed. */
const POLICY = '/usr/sbin/policy-rc.d';
/** Enough for about 40 MB of Erlang from a slow mirror. */
const APT_BOUND_MS = 300_000;

/** One at a time: apt-get locks its lists, and the first one to end would remove the policy of the second. */
let previous: Promise<unknown> = Promise.resolve();

/** Looks for the program again after the installation. */
export async function installByApt<Program>(
  packageName: string,
  o: { report: (line: string) => void; look: () => Promise<Look<Program>> },
): Promise<Look<Program>> {
  if (!existsSync('/etc/debian_version') || onPath('apt-get') === undefined) {
    return notFound('this is neither Debian nor Ubuntu');
  }
  if (process.getuid?.() !== 0) return notFound(`only root may install ${packageName}`);
  o.report(`installing ${packageName} by apt-get (once; it is not started as a service)`);
  const installed = previous.then(() => install(packageName));
  previous = installed.catch(() => {});
  try {
    await installed;
  } catch (error) {
    return notFound(`apt-get could not install ${packageName} (${reasonOf(error)})`);
  }
  const look = await o.look();
  return look.found ? found(look.value, `${packageName} was just installed by apt-get`) : look;
}

async function install(packageName: string): Promise<void> {
  // An existing policy is kept; containers have one that denies everything.
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await aptGet('update');
    await aptGet('install', '--yes', '--no-install-recommends', packageName);
  } finally {
    if (isOurs) rmSync(POLICY, { force: true });
  }
}

async function aptGet(...args: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another apt-get may be running, for example that of a second run.
  await run('apt-get', ['--quiet', '-o', 'DPkg::Lock::Timeout=120', ...args], { env, timeout: APT_BOUND_MS });
}
