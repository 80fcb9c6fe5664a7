/** Finds and runs Valkey or Redis. Both serve our needs: counts that may be lost. So nothing is written to disk. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { installByApt } from '../apt.ts';
import { found, type Look, notFound, type Place } from '../find.ts';
import { freePorts } from '../free-port.ts';
import { onPath } from '../on-path.ts';
import { answers, type RunningStore } from '../stores.ts';
import { startServer } from './server-process.ts';

export function valkeyPlaces(report: (line: string) => void): Place<string>[] {
  return [
    { name: 'installed valkey-server or redis-server', look: installedValkey },
    // Debian 12 has Redis only.
    { name: 'apt-get', look: () => installByApt('redis-server', { report, look: installedValkey }) },
  ];
}

async function installedValkey(): Promise<Look<string>> {
  const command = onPath('valkey-server') ?? onPath('redis-server');
  return command === undefined ? notFound('neither is on PATH') : found(command, `${command} is installed`);
}

export async function startEmbeddedValkey(
  command: string,
  { folder }: { folder: string },
): Promise<RunningStore> {
  const data = join(folder, 'valkey');
  mkdirSync(data, { recursive: true });
  const [port] = await freePorts(1);
  const url = `redis://127.0.0.1:${port}`;
  const stop = await startServer({
    name: 'valkey',
    folder,
    command,
    args: ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', data, '--save', '', '--appendonly', 'no'],
    stopSignal: 'SIGTERM',
    ready: () => answers.valkey(url),
  });
  return { url, stop };
}
