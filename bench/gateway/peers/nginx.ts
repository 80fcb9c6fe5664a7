/** Two nginx: the upstream that all peers share, and the peer. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, startProcess } from '../../process.ts';
import { requestPath } from '../requests.ts';

/** A reply with the size and headers of GET /categories of offers. */
const body = JSON.stringify({
  categories: ['Food & Drink', 'Health', 'Entertainment', 'Beauty', 'Retail', 'Travel', 'Services'].map(
    (category_name, index) => ({ category_id: index + 1, category_name }),
  ),
});

export async function startUpstream(o: { nginx: string; folder: string; port: number }): Promise<Running> {
  const config = `
    access_log off;
    server {
      listen 127.0.0.1:${o.port};
      keepalive_requests 1000000000;
      default_type "application/json; charset=utf-8";
      add_header X-Request-Id $http_x_request_id;
      location / { return 200 '${body}'; }
    }`;
  return startNginx({ ...o, name: 'upstream', config });
}

/**
 * The same limit as ours: 60 a minute, all of them allowed at once. The client address comes from
 * X-Forwarded-For of a trusted peer. It looks up no key and logs no call.
 */
export async function startNginxPeer(o: {
  nginx: string;
  folder: string;
  port: number;
  upstreamPort: number;
}): Promise<Running> {
  const config = `
    log_format line '$remote_addr $time_iso8601 $request_id "$request" $status $body_bytes_sent $request_time';
    access_log /dev/stdout line;
    set_real_ip_from 127.0.0.0/8;
    real_ip_header X-Forwarded-For;
    limit_req_zone $binary_remote_addr zone=clients:64m rate=60r/m;
    limit_req_status 429;
    upstream services {
      server 127.0.0.1:${o.upstreamPort};
      keepalive 64;
      keepalive_requests 1000000000;
    }
    server {
      listen 127.0.0.1:${o.port};
      keepalive_requests 1000000000;
      location / {
        limit_req zone=clients burst=59 nodelay;
        proxy_pass http://services;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header X-Request-Id $request_id;
        add_header X-Request-Id $request_id always;
      }
    }`;
  return startNginx({ ...o, name: 'nginx', config });
}

async function startNginx(o: {
  nginx: string;
  folder: string;
  port: number;
  name: string;
  config: string;
}): Promise<Running> {
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
    command: o.nginx,
    args: ['-p', own, '-e', 'stderr', '-c', configFile],
    readyUrl: `http://127.0.0.1:${o.port}${requestPath}`,
  });
}
