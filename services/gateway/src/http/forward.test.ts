/** Callers who take their reply slowly, and services that are slow, before the same short budget. */
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@offer-ads/platform/clock';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http-server';
import { createMetrics } from '@offer-ads/platform/metrics';
import { eventually } from '@offer-ads/testing/eventually';
import { silentLogger } from '@offer-ads/testing/logger';
import { type FakeUpstream, startFakeUpstream } from '../../test/fake-upstream.ts';
import { createUpstream, type Upstream } from '../upstream.ts';
import { forward } from './forward.ts';

/** More than fits into the buffers between a service and a caller who reads nothing. */
const longReply = Buffer.alloc(32 * 1024 * 1024, 'x');
const longestReadMs = 300;

let service: FakeUpstream;
beforeAll(async () => {
  service = await startFakeUpstream();
});
afterAll(async () => service[Symbol.asyncDispose]());

let upstream: Upstream;
let server: HttpServer;
beforeEach(async () => {
  const metrics = createMetrics('gateway');
  const foundation = { logger: silentLogger, metrics, clock: systemClock };
  upstream = createUpstream({ name: 'offers', baseUrl: service.url, ...foundation });
  server = await startHttpServer({
    service: 'gateway',
    host: '127.0.0.1',
    port: 0,
    ...foundation,
    readiness: async () => [],
    routes: () => {},
    door: (req) => (res) =>
      forward(req, res, {
        endpoint: { takesBody: req.method === 'POST', budgetMs: 1 },
        upstream,
        callerToken: null,
        longestReadMs,
      }),
  });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Reads nothing. */
function askAndReadNothing(): Socket {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {});
  socket.write('GET /offers HTTP/1.1\r\nHost: a\r\n\r\n');
  return socket;
}

const status = async () => (await fetch(`${server.url}/categories`)).status;

describe('a caller who reads the reply too slowly', () => {
  it('is cut off, and counts nothing against the service', async () => {
    let cutOff = 0;
    service.respond = (_req, res) => void res.on('close', () => (cutOff += 1)).end(longReply);
    const slow = Array.from({ length: 8 }, askAndReadNothing);
    await eventually(() => expect(cutOff).toBe(8));
    for (const socket of slow) socket.destroy();
    service.respond = (_req, res) => res.end('{}');
    expect(await status()).toBe(200);
  });
});

describe('uploads that fill all connections for uploads', () => {
  it('leave other requests theirs, and count nothing against the service', async () => {
    let begun = 0;
    service.respond = (req, res) => {
      if (req.method !== 'POST') return void res.end('{}');
      begun += 1;
      req.on('error', () => {});
    };
    const uploads = Array.from({ length: 256 }, () => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      socket.write('POST /offers HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nbegun');
      return socket;
    });
    try {
      await eventually(() => expect(begun).toBe(256));
      const oneMore = async () =>
        (await fetch(`${server.url}/offers`, { method: 'POST', body: 'all' })).status;
      expect(await Promise.all(Array.from({ length: 8 }, oneMore))).toEqual(Array(8).fill(503));
      expect(await status()).toBe(200);
    } finally {
      for (const socket of uploads) socket.destroy();
    }
  });
});

describe('a service that takes too long', () => {
  it('is asked no more for a while', async () => {
    service.respond = () => {};
    await Promise.all(Array.from({ length: 8 }, status));
    service.respond = (_req, res) => res.end('{}');
    expect(await status()).toBe(503);
  });
});
