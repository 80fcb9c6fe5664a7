/** What all peers share: a folder, the stores, the upstream, a key. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideBacking } from '@offer-ads/dev/backing/backing';
import { claimFolder, removeFolder, sweepAbandoned } from '@offer-ads/dev/backing/data-folder';
import { freePorts } from '@offer-ads/dev/backing/free-port';
import { migrate } from '@offer-ads/platform/migrations';
import pg from 'pg';
import { type GatewaySettings, gatewaySettings, migrations } from './gateway.ts';
import { startUpstream } from './nginx.ts';
import type { Running } from './process.ts';

export type Stage = {
  readonly folder: string;
  readonly upstream: Running;
  readonly upstreamPort: number;
  readonly settings: GatewaySettings;
  readonly valkeyUrl: string | undefined;
};

/** Everything is handed to `opened` as soon as it runs, so that an end at any moment finds it. */
export async function setStage(
  opened: AsyncDisposableStack,
  o: { nginx: string; report: (line: string) => void },
): Promise<Stage> {
  const runs = join(tmpdir(), 'offer-ads-bench');
  await sweepAbandoned(runs);
  const folder = join(runs, String(process.pid));
  mkdirSync(folder, { recursive: true });
  await claimFolder(folder);
  opened.defer(() => removeFolder(folder));

  const backing = await provideBacking({
    folder: join(folder, 'backing'),
    addresses: {
      postgres: { variable: 'TEST_POSTGRES_URL', url: process.env.TEST_POSTGRES_URL },
      mongo: { variable: 'TEST_MONGO_URL', url: process.env.TEST_MONGO_URL },
      rabbitmq: { variable: 'TEST_RABBITMQ_URL', url: process.env.TEST_RABBITMQ_URL },
      valkey: { variable: 'TEST_VALKEY_URL', url: process.env.TEST_VALKEY_URL },
    },
    containers: 'testcontainers',
    // As deployed: a call is in the log when it is on disk.
    durable: true,
    report: o.report,
  });
  opened.use(backing);
  const databaseUrl = await createDatabase(opened, backing.postgresUrl);
  const [upstreamPort = 0] = await freePorts(1);
  const upstream = opened.use(await startUpstream({ nginx: o.nginx, folder, port: upstreamPort }));
  return {
    folder,
    upstream,
    upstreamPort,
    valkeyUrl: backing.valkeyUrl,
    settings: gatewaySettings({ databaseUrl, rabbitmqUrl: backing.rabbitmqUrl, upstreamPort }),
  };
}

async function createDatabase(opened: AsyncDisposableStack, serverUrl: string): Promise<string> {
  const name = `bench_${process.pid}`;
  const statement = async (sql: string) => {
    const server = new pg.Client({ connectionString: serverUrl });
    await server.connect();
    try {
      await server.query(sql);
    } finally {
      await server.end();
    }
  };
  await statement(`CREATE DATABASE ${name}`);
  opened.defer(() => statement(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await migrate({ url: url.href, directory: migrations });
  return url.href;
}
