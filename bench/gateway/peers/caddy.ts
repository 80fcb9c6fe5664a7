/** Caddy as a reverse proxy with an access log. It has no rate limit, because that needs a third-party module. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, startProcess } from '../../process.ts';
import { requestPath } from '../requests.ts';

export async function startCaddy(o: {
  caddy: string;
  folder: string;
  port: number;
  upstreamPort: number;
}): Promise<Running> {
  const own = join(o.folder, 'caddy');
  mkdirSync(own);
  const configFile = join(own, 'Caddyfile');
  writeFileSync(
    configFile,
    `{
      admin off
      auto_https off
    }
    http://127.0.0.1:${o.port} {
      bind 127.0.0.1
      log {
        output stdout
        format json
      }
      reverse_proxy 127.0.0.1:${o.upstreamPort} {
        transport http {
          keepalive 60s
          keepalive_idle_conns_per_host 64
        }
      }
    }\n`,
  );
  return startProcess({
    name: 'caddy',
    folder: o.folder,
    command: o.caddy,
    args: ['run', '--config', configFile, '--adapter', 'caddyfile'],
    readyUrl: `http://127.0.0.1:${o.port}${requestPath}`,
  });
}
