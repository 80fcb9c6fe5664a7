/** What all peers share: a folder, the stores, the upstream, a key. */
import { freePorts } from '@offer-ads/backing/free-port';
import type { Running } from '../process.ts';
import { createDatabase, openStores } from '../stores.ts';
import { type GatewaySettings, gatewaySettings, migrations } from './gateway.ts';
import { startUpstream } from './peers/nginx.ts';

export type Stage = {
  readonly folder: string;
  readonly upstream: Running;
  readonly upstreamPort: number;
  readonly settings: GatewaySettings;
  readonly valkeyUrl: string | undefined;
};

/** Adds everything to `opened` as soon as it runs, so that it is stopped whenever the run ends. */
export async function setStage(
  opened: AsyncDisposableStack,
  o: { nginx: string; report: (line: string) => void },
): Promise<Stage> {
  const { folder, backing } = await openStores(opened, o.report);
  const databaseUrl = await createDatabase(opened, {
    serverUrl: backing.postgresUrl,
    name: 'gateway',
    migrations,
  });
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
