/** Finds RabbitMQ's server script, or has the system's package manager bring it. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { found, type Look, notFound, type Place, reasonOf } from './find.ts';
import { onPath } from './on-path.ts';

const run = promisify(execFile);

/** Places in the order of the architecture page. */
export function rabbitmqPlaces(report: (line: string) => void): Place<string>[] {
  return [
    { name: 'installed rabbitmq-server', look: installedRabbitmq },
    { name: 'apt-get', look: () => rabbitmqFromApt(report) },
  ];
}

async function installedRabbitmq(): Promise<Look<string>> {
  const command = onPath('rabbitmq-server');
  if (command === undefined) return notFound('no rabbitmq-server on PATH');
  // Debian's command is a wrapper that does `su rabbitmq`; the script itself runs as whoever calls it.
  const script =
    globSync('/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server')[0] ??
    ['/usr/lib/rabbitmq/bin/rabbitmq-server'].find((file) => existsSync(file)) ??
    command;
  return found(script, `rabbitmq-server is installed (${script})`);
}

/** Denies services their start while packages are installed, as Debian's policy layer has it. */
const POLICY = '/usr/sbin/policy-rc.d';
/** About 40 MB of Erlang from a slow mirror. */
const APT_BOUND_MS = 300_000;

async function rabbitmqFromApt(report: (line: string) => void): Promise<Look<string>> {
  if (!existsSync('/etc/debian_version') || onPath('apt-get') === undefined) {
    return notFound('this is neither Debian nor Ubuntu');
  }
  if (process.getuid?.() !== 0) return notFound('only root may install rabbitmq-server');
  report('RabbitMQ: installing rabbitmq-server by apt-get (once; it is not started as a service)');
  try {
    await withServicesDenied(async () => {
      await aptGet('update');
      await aptGet('install', '--yes', '--no-install-recommends', 'rabbitmq-server');
    });
  } catch (error) {
    return notFound(`apt-get could not install rabbitmq-server (${reasonOf(error)})`);
  }
  const installed = await installedRabbitmq();
  return installed.found
    ? found(installed.value, 'rabbitmq-server was just installed by apt-get')
    : installed;
}

async function withServicesDenied(work: () => Promise<void>): Promise<void> {
  // A policy that is there already is somebody's; containers have one that denies everything.
  const ours = !existsSync(POLICY);
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    if (ours) rmSync(POLICY, { force: true });
  }
}

async function aptGet(...args: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another apt-get may be at work, for example that of a second run.
  await run('apt-get', ['--quiet', '-o', 'DPkg::Lock::Timeout=120', ...args], { env, timeout: APT_BOUND_MS });
}
