/** Runs a mongod program as a replica set of one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../free-port.ts';
import { answers, becomePrimary, type RunningStore } from '../stores.ts';
import { startServer } from './server-process.ts';

/** A program, with the environment that it needs. */
export type Mongod = { readonly command: string; readonly env: Readonly<Record<string, string>> };

export async function startMongod(mongod: Mongod, { folder }: { folder: string }): Promise<RunningStore> {
  const data = join(folder, 'mongo');
  mkdirSync(data, { recursive: true });
  const [port] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const url = `mongodb://${host}/?replicaSet=rs0&directConnection=true`;
  const stop = await startServer({
    name: 'mongo',
    folder,
    command: mongod.command,
    env: mongod.env,
    // Otherwise it would use half of the machine's memory, and write figures for its makers each second.
    args: `--replSet rs0 --bind_ip 127.0.0.1 --port ${port} --nounixsocket --quiet --wiredTigerCacheSizeGB 0.5 --setParameter diagnosticDataCollectionEnabled=false`
      .split(' ')
      .concat('--dbpath', data),
    stopSignal: 'SIGTERM',
    ready: async () => {
      await becomePrimary(`mongodb://${host}/?directConnection=true`, host);
      await answers.mongo(url);
    },
  });
  return { url, stop };
}
