/** A MongoDB of the measurement's own: a replica set of one, as pricing needs it, with memory for 10 million members. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mongodPlaces } from '@offer-ads/backing/embedded/mongod-places';
import { startServer } from '@offer-ads/backing/embedded/server-process';
import { firstFound } from '@offer-ads/backing/find';
import { freePorts } from '@offer-ads/backing/free-port';
import { answers, becomePrimary } from '@offer-ads/backing/stores';
import { ProgramsMissing } from './postgres-server.ts';

const mongoSettings = { wiredTigerCacheSizeGB: '4', oplogSize: '1024' } as const;

/** @returns the address of a database of that name */
export type MongoServer = (database: string) => string;

export async function startMongoServer(
  opened: AsyncDisposableStack,
  { folder, report }: { folder: string; report: (line: string) => void },
): Promise<MongoServer> {
  const finding = await firstFound(mongodPlaces(report));
  if (!finding.found) {
    throw new ProgramsMissing(
      `There is no mongod: ${finding.skipped.map(({ name, why }) => `${name}: ${why}`).join('; ')}`,
    );
  }
  const data = join(folder, 'mongo');
  mkdirSync(data, { recursive: true });
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const urlOf = (database: string) => `mongodb://${host}/${database}?replicaSet=rs0&directConnection=true`;
  const stop = await startServer({
    name: 'mongo',
    folder,
    command: finding.value.command,
    env: finding.value.env,
    args: ['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--port', `${port}`, '--nounixsocket', '--quiet']
      .concat('--dbpath', data)
      .concat(Object.entries(mongoSettings).flatMap(([name, value]) => [`--${name}`, value])),
    stopSignal: 'SIGTERM',
    ready: async () => {
      await becomePrimary(`mongodb://${host}/?directConnection=true`, host);
      await answers.mongo(urlOf('admin'));
    },
  });
  opened.defer(stop);
  return urlOf;
}
