/** The peers: each has processes of its own and calls the same upstream. All have the same limit, know one key, and write an access log. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath } from '@offer-ads/backing/on-path';
import { type Running, startProcess } from '../process.ts';
import { type GatewaySettings, startGatewayProcess } from './gateway.ts';

export const peerNames = ['gateway', 'gateway-valkey', 'fastify', 'nginx', 'haproxy'] as const;
export type PeerName = (typeof peerNames)[number];
export type Peer = {
  readonly name: PeerName;
  readonly url: string;
  /** Only ours has one. */
  readonly adminUrl: string;
  readonly pid: number;
};

export const requestPath = '/categories';
const limit = 60;

/** A reply with the size and headers of GET /categories of offers. */
const reply = JSON.stringify({
  categories: ['Food & Drink', 'Health', 'Entertainment', 'Beauty', 'Retail', 'Travel', 'Services'].map(
    (category_name, index) => ({ category_id: index + 1, category_name }),
  ),
});

type Place = { readonly folder: string; readonly port: number };

export function startUpstream(place: Place): Promise<Running> {
  return startNginx({
    ...place,
    name: 'upstream',
    config: `
      access_log off;
      server {
        listen 127.0.0.1:${place.port};
        keepalive_requests 1000000000;
        default_type "application/json; charset=utf-8";
        location / { return 200 '${reply}'; }
      }`,
  });
}

export type Stage = {
  readonly folder: string;
  readonly upstreamPort: number;
  readonly settings: GatewaySettings;
  readonly valkeyUrl: string | undefined;
  readonly apiKey: string;
};

/** Undefined for a peer whose program is not installed. */
export async function startPeer(
  opened: AsyncDisposableStack,
  name: PeerName,
  { port, adminPort }: { readonly port: number; readonly adminPort: number },
  { folder, upstreamPort, settings, valkeyUrl, apiKey }: Stage,
): Promise<Peer | undefined> {
  const place = { folder, port };
  const starts: Record<PeerName, (() => Promise<Running>) | undefined> = {
    gateway: () => startGatewayProcess({ ...place, adminPort, name, settings }),
    'gateway-valkey':
      valkeyUrl === undefined
        ? undefined
        : () =>
            startGatewayProcess({
              ...place,
              adminPort,
              name,
              settings: { ...settings, VALKEY_URL: valkeyUrl },
            }),
    fastify: () =>
      startProcess({
        name,
        folder,
        command: process.execPath,
        args: [fileURLToPath(new URL('fastify-stack.ts', import.meta.url))],
        env: {
          PORT: String(port),
          UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}`,
          DATABASE_URL: settings.GATEWAY_DATABASE_URL ?? '',
          NODE_OPTIONS: '--max-semi-space-size=8',
        },
        readyUrl: `http://127.0.0.1:${port}${requestPath}`,
        readyHeaders: { 'x-api-key': apiKey },
      }),
    nginx: () => startNginx({ ...place, name, config: nginxConfig(port, upstreamPort, apiKey), apiKey }),
    haproxy:
      onPath('haproxy') === undefined ? undefined : () => startHaproxy({ ...place, upstreamPort, apiKey }),
  };
  const running = await starts[name]?.();
  if (running === undefined) return undefined;
  opened.use(running);
  const at = (its: number) => `http://127.0.0.1:${its}`;
  return { name, url: `${at(port)}${requestPath}`, adminUrl: at(adminPort), pid: running.pid };
}

/** Keys are in a map. 60 requests a minute may come at once. */
function nginxConfig(port: number, upstreamPort: number, apiKey: string): string {
  return `
    log_format line '$remote_addr $time_iso8601 $request_id "$request" $status $body_bytes_sent $request_time';
    access_log /dev/stdout line;
    set_real_ip_from 127.0.0.0/8;
    real_ip_header X-Forwarded-For;
    map_hash_bucket_size 128;
    map $http_x_api_key $isKnown { default 0; "${apiKey}" 1; }
    limit_req_zone $binary_remote_addr zone=clients:64m rate=${limit}r/m;
    limit_req_status 429;
    upstream services { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000000; }
    server {
      listen 127.0.0.1:${port};
      keepalive_requests 1000000000;
      location / {
        limit_req zone=clients burst=${limit - 1} nodelay;
        if ($isKnown = 0) { return 401; }
        proxy_pass http://services;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header X-Request-Id $request_id;
        add_header X-Request-Id $request_id always;
      }
    }`;
}

async function startNginx(
  o: Place & { readonly name: string; readonly config: string; readonly apiKey?: string },
): Promise<Running> {
  const own = join(o.folder, o.name);
  mkdirSync(own);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${own}/${kind};`)
    .join(' ');
  const configFile = join(own, 'nginx.conf');
  writeFileSync(
    configFile,
    `daemon off; worker_processes auto; pid ${own}/pid; error_log stderr warn;
     events { worker_connections 4096; }
     http { ${temporary} ${o.config} }\n`,
  );
  return startProcess({
    name: o.name,
    folder: o.folder,
    command: onPath('nginx') ?? 'nginx',
    args: ['-p', own, '-e', 'stderr', '-c', configFile],
    readyUrl: `http://127.0.0.1:${o.port}${requestPath}`,
    ...(o.apiKey !== undefined && { readyHeaders: { 'x-api-key': o.apiKey } }),
  });
}

/** Hashes of keys are in a file; clients are counted in a stick table. */
function startHaproxy(
  o: Place & { readonly upstreamPort: number; readonly apiKey: string },
): Promise<Running> {
  const own = join(o.folder, 'haproxy');
  mkdirSync(own);
  const [configFile, keysFile] = [join(own, 'haproxy.cfg'), join(own, 'keys')];
  writeFileSync(keysFile, `${createHash('sha256').update(o.apiKey).digest('hex').toUpperCase()}\n`);
  writeFileSync(
    configFile,
    `global
  log stdout format raw local0
defaults
  mode http
  log global
  option httplog
  timeout connect 1s
  timeout client 65s
  timeout server 30s
frontend public
  bind 127.0.0.1:${o.port}
  http-request set-src hdr(x-forwarded-for) if { src 127.0.0.0/8 } { hdr(x-forwarded-for) -m found }
  stick-table type ip size 200k expire 60s store http_req_rate(60s)
  http-request track-sc0 src
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt ${limit} }
  http-request deny deny_status 401 unless { req.hdr(x-api-key),sha2(256),hex -f ${keysFile} }
  unique-id-format %[uuid()]
  unique-id-header X-Request-Id
  default_backend services
backend services
  http-reuse always
  server one 127.0.0.1:${o.upstreamPort}\n`,
  );
  return startProcess({
    name: 'haproxy',
    folder: o.folder,
    command: onPath('haproxy') ?? 'haproxy',
    args: ['-db', '-f', configFile],
    readyUrl: `http://127.0.0.1:${o.port}${requestPath}`,
    readyHeaders: { 'x-api-key': o.apiKey },
  });
}
