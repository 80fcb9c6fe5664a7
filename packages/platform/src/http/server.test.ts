import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { adminRoutesAtPublicPort } from '@offer-ads/testing/admin';
import { startTestServer } from '@offer-ads/testing/http-server';
import { collectingLogger } from '@offer-ads/testing/logger';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import type { Express } from 'express';
import { sendRaw, statusLinesIn } from '../../test/raw-http.ts';
import { Fault, serviceUnavailable } from '../process/faults.ts';
import { requestFacts } from './request.ts';

const get = (path: string, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`;

describe('a reply', () => {
  it.each([
    ['an unknown route', '/nowhere', 404, { message: 'Not found' }, null],
    ['an unexpected error', '/broken', 500, { message: 'Internal server error' }, null],
    ['an unavailable dependency', '/down', 503, { message: 'Service unavailable' }, '2'],
    ['a fault', '/teapot', 418, { message: 'Short and stout' }, null],
  ])(
    'to %s has the agreed status and body, and no internal message',
    async (_case, path, status, body, wait) => {
      const { logger, lines } = collectingLogger();
      await using server = await startTestServer(
        (app) => {
          app.get('/broken', () => {
            throw new Error('internal');
          });
          app.get('/down', async () => {
            throw serviceUnavailable('internal');
          });
          app.get('/teapot', async () => {
            throw new Fault('internal', { status: 418, publicMessage: 'Short and stout' });
          });
        },
        { logger },
      );
      const response = await fetch(server.url + path, { headers: { 'x-request-id': 'order-12345.a_b' } });
      expect([response.status, await response.json()]).toEqual([status, body]);
      expect(response.headers.get('retry-after')).toBe(wait);
      expect(response.headers.get('x-request-id')).toBe('order-12345.a_b');
      expect(lines.join()).toContain('"requestId":"order-12345.a_b"');
      expect(lines.join().includes('internal')).toBe(status !== 404);
    },
  );

  it('that fails half-way is cut off, so that nobody takes it for complete', async () => {
    await using server = await startTestServer((app) => {
      app.get('/half', async (_req, res) => {
        res.write('{"half":');
        throw new Error('broke');
      });
    });
    await expect(fetch(`${server.url}/half`).then((response) => response.text())).rejects.toThrow(
      /failed|terminated/,
    );
  });

  it.each([
    ['https://ads.example', 'max-age=31536000'],
    ['http://ads.example', null],
  ])('of a service at %s has Strict-Transport-Security %s', async (publicUrl, expected) => {
    await using server = await startTestServer(() => {}, { publicUrl });
    expect((await fetch(server.url)).headers.get('strict-transport-security')).toBe(expected);
  });

  it('has neither etag nor x-powered-by', async () => {
    await using server = await startTestServer((app) => app.get('/', (_req, res) => void res.json({})));
    const { headers } = await fetch(server.url);
    expect([headers.get('etag'), headers.get('x-powered-by')]).toEqual([null, null]);
  });
});

it('the access log names the route by its pattern, without ids or query string', async () => {
  const { logger, lines } = collectingLogger();
  await using server = await startTestServer(
    (app) => app.get('/things/:id', (_req, res) => void res.json({})),
    { logger },
  );
  await sendRaw(server, get('/things/of-somebody?secret=hush', 'close')).reply;
  expect(lines.join()).toContain('"route":"/things/:id","status":200');
  expect(lines.join()).not.toMatch(/of-somebody|hush/);
});

it('a caller who leaves ends work that only they wait for, and is logged as 499, not as an error', async () => {
  const { logger, lines } = collectingLogger();
  const arrived = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  await using server = await startTestServer(
    (app) => {
      app.get('/things', async (req) => {
        const deadline = requestFacts(req).deadline();
        const plain = deadline.signal(60_000);
        const awaited = deadline.whileAwaited().signal(60_000);
        arrived.resolve();
        await once(awaited, 'abort');
        ended.resolve({ reason: awaited.reason, plainAborted: plain.aborted });
        deadline.whileAwaited().stopIfGone();
      });
    },
    { logger, admin: { port: 0, routes: () => {} } },
  );
  const { socket } = sendRaw(server, get('/things'));
  await arrived.promise;
  socket.destroy();
  expect(await ended.promise).toMatchObject({ reason: { status: 499 }, plainAborted: false });
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/http_request_duration_seconds_count\{.*route="\/things",status="499".*\} 1/);
  expect(lines.join()).toContain('"route":"/things","status":499');
  expect(lines.join()).not.toContain('"level":"error"');
});

it('admin routes and metrics have a port of their own, and the public port has nothing of theirs', async () => {
  await using server = await startTestServer((app) => app.get('/things', (_req, res) => void res.json({})), {
    admin: { port: 0, routes: (app) => app.get('/admin/things', (_req, res) => void res.json({})) },
  });
  expect(await adminRoutesAtPublicPort(server, '/admin/things')).toEqual([]);
  const statuses = ['/things', '/livez'].map(async (path) => [
    (await fetch(server.url + path)).status,
    (await fetch(server.adminUrl + path)).status,
  ]);
  expect(await Promise.all(statuses)).toEqual([
    [200, 404],
    [200, 200],
  ]);
});

it('a server is ready while it has no problems, and names those that it has', async () => {
  let problems: string[] = [];
  await using server = await startTestServer(() => {}, { readiness: async () => problems });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  problems = ['postgres does not answer'];
  const response = await fetch(`${server.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([503, { status: 'not ready', problems }]);
});

describe('a stop', () => {
  it('finishes requests in progress and refuses new ones', async () => {
    const arrived = Promise.withResolvers<() => void>();
    const server = await startTestServer((app) => {
      app.get('/work', (_req, res) => arrived.resolve(() => res.end('done')));
    });
    const inProgress = fetch(`${server.url}/work`);
    const finish = await arrived.promise;
    const stopped = server[Symbol.asyncDispose]();
    await expect(fetch(`${server.url}/work`)).rejects.toThrow(/failed|terminated/);
    finish();
    expect(await (await inProgress).text()).toBe('done');
    await stopped;
  });

  it('ends a request that does not finish in time', async () => {
    const arrived = Promise.withResolvers<void>();
    const routes = (app: Express) => void app.get('/forever', () => arrived.resolve());
    const server = await startTestServer(routes, { stopMs: 100 });
    const forever = fetch(`${server.url}/forever`);
    await arrived.promise;
    await Promise.all([expect(forever).rejects.toThrow(/failed|terminated/), server[Symbol.asyncDispose]()]);
  });

  // Node itself would wait ten seconds for the first request of a connection.
  it.each([
    ['idle after its reply', get('/'), 'data'],
    ['without any request', '', 'connect'],
  ])('does not wait for a connection that is %s', async (_case, bytes, event) => {
    const startAndStop = async () => {
      const server = await startTestServer(() => {});
      const { socket, reply } = sendRaw(server, bytes);
      await once(socket, event);
      await server[Symbol.asyncDispose]();
      await reply;
    };
    await expect(inTime(9_000, startAndStop)).resolves.toBeUndefined();
  });
});

describe('a server that drains', () => {
  it('still serves, is not ready, and ends each connection with its reply', async () => {
    await using server = await startTestServer((app) => void app.get('/', (_req, res) => void res.end()));
    const kept = sendRaw(server, get('/'));
    await once(kept.socket, 'data');
    const drained = server.drain();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    const fresh = await fetch(server.url);
    expect([fresh.status, fresh.headers.get('connection')]).toEqual([200, 'close']);
    kept.socket.write(get('/'));
    const reply = await kept.reply;
    expect(statusLinesIn(reply)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(reply.match(/^Connection: .*(?=\r$)/gm)).toEqual(['Connection: keep-alive', 'Connection: close']);
    // A client that reads it closes idle connections before a stopping server does.
    expect(reply.match(/^Keep-Alive: .*(?=\r$)/gm)).toEqual(['Keep-Alive: timeout=5']);
    // No connection is left, so it ends long before its time-out.
    await drained;
  });

  it('ends the connection of a request that was in progress when it began', async () => {
    const arrived = Promise.withResolvers<() => void>();
    await using server = await startTestServer((app) => {
      app.get('/work', (_req, res) => arrived.resolve(() => res.json({ done: true })));
    });
    const { reply } = sendRaw(server, get('/work'));
    const finish = await arrived.promise;
    const drained = server.drain();
    finish();
    expect(await reply).toMatch(/^Connection: close\r$/m);
    await drained;
  });

  it('leaves idle connections open until its time-out', async () => {
    const server = await startTestServer((app) => void app.get('/', (_req, res) => void res.end()), {
      drainMs: 100,
    });
    const { socket, reply } = sendRaw(server, get('/'));
    await once(socket, 'data');
    await server.drain();
    expect(socket.readableEnded).toBe(false);
    await server[Symbol.asyncDispose]();
    await reply;
  });
});
