/** Slow callers and slow services, with short time limits: only a service that is slow itself opens the breaker. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import { systemClock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { request } from 'undici';
import { startFakeUpstream } from '../../test/forwarding/fake-upstream.ts';
import { forward } from './forward.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** More than the buffers between a service and a caller that reads nothing can hold. */
const longReply = Buffer.alloc(32 * 1024 * 1024, 'x');
const longestReadMs = 300;

/** More than open the breaker if they count as failures. */
const attempts = Array.from({ length: 8 });

const service = forAllTests(() => startFakeUpstream());

const foundation = () => ({
  logger: silentLogger,
  metrics: createMetrics('gateway'),
  clock: systemClock,
  host: '127.0.0.1',
  port: 0,
  readiness: async () => [],
});
let upstream: Upstream;
let upstreamInUse: Upstream;
let server: HttpServer;
let budgetMs: number;
beforeEach(async () => {
  budgetMs = 1_000;
  upstream = createUpstream({ name: 'offers', baseUrl: service.url, ...foundation() });
  upstreamInUse = upstream;
  server = await startHttpServer({
    ...foundation(),
    routes: () => {},
    fastPath: (req) => (res) =>
      forward(req, res, {
        endpoint: { takesBody: req.method === 'POST', budgetMs: req.url === '/slow' ? 25_000 : budgetMs },
        upstream: upstreamInUse,
        callerToken: null,
        longestReadMs,
      }),
  });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** A caller that reads nothing. */
function askAndReadNothing(): Socket {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {});
  socket.write('GET /offers HTTP/1.1\r\nHost: a\r\n\r\n');
  return socket;
}

/** A caller that sends as fast as the service reads, and reads the reply. */
async function statusOfUpload(bytes: number): Promise<string | undefined> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {});
  const answered = new AbortController();
  let answer = '';
  const end = (reply = 'nothing') => {
    answer ||= reply;
    answered.abort();
  };
  socket.setEncoding('latin1').once('data', end);
  socket.once('close', () => end());
  socket.write(`POST /offers HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`);
  const chunk = Buffer.alloc(256 * 1024, 'x');
  const { signal } = answered;
  for (let left = bytes; left > 0 && !signal.aborted; left -= chunk.length)
    if (!socket.write(chunk)) await once(socket, 'drain', { signal }).catch(() => {});
  if (!signal.aborted) await once(signal, 'abort');
  const status = /HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
  socket.destroy();
  return status;
}

/** A caller that reads only after it has sent all: an upload, and on the same connection another request. */
async function statusesAfterUpload(): Promise<string[]> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {});
  let answer = '';
  const bytes = 2 * 1024 * 1024;
  socket.write(`POST /offers HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`);
  socket.write(Buffer.alloc(bytes, 'x'));
  socket.write('GET /categories HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', () =>
    socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk)),
  );
  await once(socket, 'close');
  return [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1] ?? '');
}

/** On a connection of its own: a busy server may close an idle one just when it is used again. */
async function status(): Promise<number> {
  const { statusCode, body } = await request(`${server.url}/categories`, { reset: true });
  await body.dump();
  return statusCode;
}

describe('a caller who reads the reply too slowly', () => {
  async function statusAfterSlowCallers(): Promise<number> {
    await using unused = createUpstream({ name: 'offers', baseUrl: service.url, ...foundation() });
    upstreamInUse = unused;
    let cutOff = 0;
    service.respond = (_req, res) => void res.on('close', () => (cutOff += 1)).end(longReply);
    const slow = attempts.map(askAndReadNothing);
    await eventually(() => expect(cutOff).toBe(attempts.length));
    for (const socket of slow) socket.destroy();
    service.respond = (_req, res) => res.end('{}');
    return await status();
  }

  it('is cut off, and does not count as a failure of the service', async () => {
    // A busy machine may need longer to fill the buffers than the service may take. Then the callers come again, with more time.
    const statuses = [];
    for (budgetMs of [1_000, 4_000, 16_000]) {
      statuses.push(await statusAfterSlowCallers());
      if (statuses.at(-1) === 200) return;
    }
    expect(statuses).toContain(200);
  });
});

describe('uploads that use all connections for uploads', () => {
  it('leave other requests their connections, and do not count as failures of the service', async () => {
    let begun = 0;
    service.respond = (req, res) => {
      if (req.headers['content-length'] !== '100000') return void res.end('{}');
      begun += 1;
      req.on('error', () => {});
    };
    const uploads = Array.from({ length: 256 }, () => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      socket.write('POST /offers HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nbegun');
      return socket;
    });
    try {
      await eventually(() => expect(begun).toBe(256));
      const post = async (bytes: number) =>
        (await fetch(`${server.url}/offers`, { method: 'POST', body: Buffer.alloc(bytes) })).status;
      // More than the uploads, because a breaker opens only if half of the latest requests failed.
      const more = Array.from({ length: 300 }, () => post(100_000));
      expect(await Promise.all(more)).toEqual(Array(300).fill(503));
      expect(await status()).toBe(200);
      expect(await post(100)).toBe(200);
      expect(await statusesAfterUpload()).toEqual(['503', '200']);
    } finally {
      for (const socket of uploads) socket.destroy();
    }
  });
});

describe('requests that may take long and use all connections of their own', () => {
  it('leave other requests their connections', async () => {
    const begun: ServerResponse[] = [];
    service.respond = (req, res) => {
      if (req.url === '/slow') begun.push(res);
      else res.end('{}');
    };
    const slow = Array.from({ length: 256 }, () =>
      fetch(`${server.url}/slow`, { method: 'POST', body: 'a' }),
    );
    await eventually(() => expect(begun).toHaveLength(256));
    expect(await status()).toBe(200);
    for (const res of begun) res.end('{}');
    expect(new Set((await Promise.all(slow)).map((reply) => reply.status))).toEqual(new Set([200]));
  });
});

describe('a short body', () => {
  it('reaches the service when it is complete, and one that ends early never', async () => {
    const bodies: string[] = [];
    service.respond = (req, res) => {
      const whole = text(req).then((body) => res.end(`{"heard":${bodies.push(body)}}`));
      whole.catch(() => bodies.push('broken'));
    };
    const leaving = connect(server.port, '127.0.0.1').resume();
    const sending = connect(server.port, '127.0.0.1').setEncoding('latin1');
    for (const socket of [leaving, sending])
      socket.write('POST /offers HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nfirst');
    // Until the service has answered others, it has heard of neither.
    expect(await status()).toBe(200);
    leaving.end();
    await once(leaving, 'close');
    expect(bodies).toEqual(['']);
    sending.write('other');
    expect(String(await once(sending, 'data'))).toContain('{"heard":2}');
    expect(bodies).toEqual(['', 'firstother']);
    sending.destroy();
  });
});

describe('an upload that the service refuses before its end', () => {
  it('gets the refusal however long it is, and does not count as a failure of the service', async () => {
    await using refusing = await startHttpServer({
      ...foundation(),
      routes: (app) =>
        app.post('/offers', (_req, res) => void res.status(400).json({ message: 'too large' })),
    });
    await using toRefusing = createUpstream({ name: 'offers', baseUrl: refusing.url, ...foundation() });
    upstreamInUse = toRefusing;
    const statuses = await Promise.all(attempts.map(() => statusOfUpload(48 * 1024 * 1024)));
    expect(statuses).toEqual(attempts.map(() => '400'));
    // With an open breaker this would be a 503.
    expect(await statusesAfterUpload()).toEqual(['400', '404']);
  });
});

describe('a connection that the service closes during an upload', () => {
  it('does not count as a failure of the service, because the caller may be the cause', async () => {
    let reached = 0;
    service.respond = (req, res) => {
      if (req.method !== 'POST') return void res.end('{}');
      req.once('data', () => {
        reached += 1;
        req.socket.resetAndDestroy();
      });
    };
    for (const _ of attempts) expect(await statusOfUpload(8 * 1024 * 1024)).toBe('503');
    expect(reached).toBe(attempts.length);
    expect(await status()).toBe(200);
  });
});

describe('a service that takes too long', () => {
  it('opens the breaker, so that it is not asked for a while', async () => {
    service.respond = () => {};
    await Promise.all(attempts.map(status));
    service.respond = (_req, res) => res.end('{}');
    // The upload too is read to its end, so that its sender gets the answer.
    expect(await statusesAfterUpload()).toEqual(['503', '503']);
  });
});
