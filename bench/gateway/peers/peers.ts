/** The peers: each has processes of its own and calls the same upstream. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { type Running, startProcess } from '../../process.ts';
import { createApiKey, startGatewayProcess } from '../gateway.ts';
import { fillWithKeys } from '../many-keys.ts';
import { requestPath } from '../requests.ts';
import type { Stage } from '../stage.ts';
import { startCaddy } from './caddy.ts';
import { startNginxPeer } from './nginx.ts';
import type { Programs } from './programs.ts';

export const peerNames = [
  'gateway',
  'gateway-untraced',
  'gateway-sampled',
  'gateway-valkey',
  'gateway-many-keys',
  'nginx',
  'caddy',
  'bare',
  'upstream',
] as const;
export type PeerName = (typeof peerNames)[number];

export const isOurs = (name: PeerName) => name.startsWith('gateway');

export type Peer = {
  readonly name: PeerName;
  readonly url: string;
  readonly pid: number;
  readonly accessLog: string;
  /** The API keys for its requests, one a line. */
  readonly keysFile: string;
  /** Whether it refuses the 61st request of one client. */
  readonly limits: boolean;
  /** Our own gateway, which has a call log. */
  readonly isOurs: boolean;
};

/** They start one after the other, so that no start slows another. Each of our gateways starts several times. */
export async function startPeers(
  opened: AsyncDisposableStack,
  o: { stage: Stage; programs: Programs; names: readonly PeerName[]; starts: number; keysInUse: number },
): Promise<Peer[]> {
  const { folder, upstreamPort, upstream, settings, valkeyUrl } = o.stage;
  const gateway = (more: Readonly<Record<string, string>> = {}, isTraced = true) => {
    return (port: number) =>
      startGatewayProcess({
        name: `gateway-${port}`,
        folder,
        port,
        settings: { ...settings, ...more },
        isTraced,
      });
  };
  const start: Record<PeerName, (port: number) => Promise<Running>> = {
    gateway: gateway(),
    'gateway-untraced': gateway({}, false),
    'gateway-sampled': gateway(await startCollector(opened)),
    'gateway-valkey': gateway(valkeyUrl === undefined ? {} : { VALKEY_URL: valkeyUrl }),
    'gateway-many-keys': gateway(),
    nginx: (port) => startNginxPeer({ nginx: o.programs.nginx, folder, port, upstreamPort }),
    caddy: (port) => startCaddy({ caddy: o.programs.caddy, folder, port, upstreamPort }),
    bare: (port) => startBareProxy({ folder, port, upstreamPort }),
    upstream: async () => upstream,
  };
  const peers: Peer[] = [];
  const [oneKey, manyKeys] = [join(folder, 'one-key'), join(folder, 'many-keys')];
  const names = Array.from({ length: o.starts }, (_, index) =>
    o.names.filter((name) => index === 0 || isOurs(name)),
  ).flat();
  for (const name of names) {
    // Without Valkey it would be the same as `gateway`.
    if (name === 'gateway-valkey' && valkeyUrl === undefined) continue;
    const [free = 0] = await freePorts(1);
    const running = await start[name](free);
    if (name !== 'upstream') opened.use(running);
    peers.push({
      name,
      url: `http://127.0.0.1:${name === 'upstream' ? upstreamPort : free}`,
      pid: running.pid,
      accessLog: running.outputFile,
      keysFile: name === 'gateway-many-keys' ? manyKeys : oneKey,
      limits: isOurs(name) || name === 'nginx',
      isOurs: isOurs(name),
    });
  }
  const ours = peers.find((peer) => peer.isOurs);
  const apiKey = ours === undefined ? 'no-gateway-asks' : await createApiKey(ours.url);
  writeFileSync(oneKey, `${apiKey}\n`);
  const databaseUrl = settings.GATEWAY_DATABASE_URL ?? '';
  if (o.names.includes('gateway-many-keys'))
    await fillWithKeys({ databaseUrl, file: manyKeys, count: o.keysInUse });
  return peers;
}

/** Takes spans and forgets them. @returns settings that record one request of a hundred and send its spans there */
async function startCollector(opened: AsyncDisposableStack): Promise<Readonly<Record<string, string>>> {
  const collector = createServer((req, res) => void req.resume().once('end', () => res.end()));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  opened.defer(() => {
    collector.closeAllConnections();
    collector.close();
  });
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
}

function startBareProxy(o: { folder: string; port: number; upstreamPort: number }): Promise<Running> {
  return startProcess({
    name: 'bare',
    folder: o.folder,
    command: process.execPath,
    args: [fileURLToPath(new URL('bare-proxy.ts', import.meta.url))],
    env: { PORT: String(o.port), UPSTREAM_URL: `http://127.0.0.1:${o.upstreamPort}` },
    readyUrl: `http://127.0.0.1:${o.port}${requestPath}`,
  });
}
