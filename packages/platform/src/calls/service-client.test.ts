import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { z } from 'zod';
import { createLogger } from '../telemetry/logging.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { callerPresence, createDeadline } from './deadline.ts';
import { createServiceClient, type ServiceCall, type ServiceClient } from './service-client.ts';

const reply = z.object({ answer: z.number() });
const unavailable = { status: 503, publicBody: { message: 'Service unavailable' }, retryAfterSeconds: 2 };

let server: Server;
let client: ServiceClient;
let respond: RequestListener;
let seen: IncomingMessage[];

beforeEach(async () => {
  seen = [];
  respond = (_req, res) => void res.end('{"answer":42}');
  server = createServer((req, res) => {
    seen.push(req);
    respond(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = startClient();
});

function startClient(o: { isProbed?: boolean } = {}): ServiceClient {
  return createServiceClient({
    ...o,
    name: 'pricing',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    logger: createLogger({ service: 'offers', level: 'silent' }),
    metrics: createMetrics('offers'),
    timeoutMs: 50_000,
  });
}

afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await client[Symbol.asyncDispose]();
});

function ask(overrides: Partial<ServiceCall<typeof reply>> = {}) {
  return client.call({
    method: 'POST',
    path: '/internal/price',
    callerToken: 'signed',
    requestId: 'request-1',
    deadline: createDeadline(60_000),
    reply,
    ...overrides,
  });
}

const answerWith = (status: number, body: string): RequestListener => {
  return (_req, res) => void res.writeHead(status, { 'content-type': 'application/json' }).end(body);
};

describe('a call to another service', () => {
  it('says in the time of its store by when it must commit, once it has shown that time', async () => {
    respond = (_req, res) => void res.setHeader('x-store-time', '1000000').end('{"answer":42}');
    await ask();
    await ask({ deadline: createDeadline(2_000) });
    const [first, second] = seen.map(({ headers }) => headers['x-commit-by']);
    expect(first).toBeUndefined();
    const commitByMs = Number(second);
    expect(commitByMs).toBeGreaterThan(1_000_000);
    expect(commitByMs).toBeLessThan(1_000_000 + 60_000);
  });

  it('carries the caller, the request id, the budget and the body, and gives the checked reply', async () => {
    let body = '';
    respond = (req, res) => {
      req.on('data', (chunk) => (body += chunk)).on('end', () => res.end('{"answer":42}'));
    };
    expect(await ask({ json: { question: 1 } })).toEqual({ answer: 42 });
    expect(body).toBe('{"question":1}');
    expect(seen[0]?.headers).toMatchObject({
      'x-caller-context': 'signed',
      'x-request-id': 'request-1',
      'x-request-budget-ms': '50000',
      'content-type': 'application/json',
    });
  });

  it('passes on no more budget than the caller has left', async () => {
    await ask({ deadline: createDeadline(20_000) });
    expect(Number(seen[0]?.headers['x-request-budget-ms'])).toBeLessThanOrEqual(20_000);
  });

  it('keeps its connections for the next calls', async () => {
    for (let time = 0; time < 20; time += 1) await ask();
    expect(new Set(seen.map((request) => request.socket.remotePort)).size).toBeLessThan(4);
  });

  it.each<[string, RequestListener]>([
    ['answers garbage', answerWith(200, 'garbage')],
    ['answers another shape', answerWith(200, '{"answer":"42"}')],
    ['answers 500', answerWith(500, '{}')],
    ['answers 404', answerWith(404, '{}')],
    ['resets the connection', (req) => req.socket.resetAndDestroy()],
    [
      'breaks off in the reply',
      (_req, res) => {
        res.writeHead(200, { 'content-length': '100' }).write('{"ans');
        setImmediate(() => res.destroy());
      },
    ],
  ])('is a 503 when the service %s', async (_case, listener) => {
    respond = listener;
    await expect(ask()).rejects.toMatchObject(unavailable);
  });

  it('is a 503 when nothing listens', async () => {
    server.close();
    server.closeAllConnections();
    await expect(ask()).rejects.toMatchObject(unavailable);
  });

  it.each([
    ["the caller's deadline", () => ({ deadline: createDeadline(150) })],
    ['its own time-out', () => ({ timeoutMs: 150 })],
  ])('gives up on a hanging service at %s', async (_case, overrides) => {
    respond = () => {};
    await inTime(1_900, () => expect(ask(overrides())).rejects.toMatchObject(unavailable));
  });

  it('is a 429 when the service has too much of this caller at once', async () => {
    respond = answerWith(429, '{}');
    await expect(ask()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2 });
  });

  it('is not even begun when the deadline has passed', async () => {
    await expect(ask({ deadline: createDeadline(0) })).rejects.toMatchObject(unavailable);
    expect(seen).toHaveLength(0);
  });
});

describe('the one more try of a safe call', () => {
  it('follows a broken connection', async () => {
    respond = (req, res) => {
      if (seen.length === 1) req.socket.resetAndDestroy();
      else res.end('{"answer":42}');
    };
    expect(await ask({ retry: 'safe' })).toEqual({ answer: 42 });
  });

  it('is not made without leave, nor after an answer', async () => {
    respond = (req) => req.socket.resetAndDestroy();
    await expect(ask()).rejects.toMatchObject(unavailable);
    respond = answerWith(500, '{}');
    await expect(ask({ retry: 'safe' })).rejects.toMatchObject(unavailable);
    expect(seen).toHaveLength(2);
  });
});

describe('the breaker', () => {
  async function fail(times: number, how: Partial<ServiceCall<typeof reply>> = {}) {
    for (let time = 0; time < times; time += 1) await expect(ask(how)).rejects.toMatchObject(unavailable);
  }

  it.each<[string, RequestListener]>([
    ['says that it is unavailable', answerWith(503, '{}')],
    ['breaks connections', (req) => req.socket.resetAndDestroy()],
    ['does not answer in time', () => {}],
  ])('opens when a service %s, spares it, and closes when it is back', async (_case, listener) => {
    respond = listener;
    await fail(8, { timeoutMs: 50 });
    expect(seen.length).toBeLessThan(8);
    // Every two seconds it lets one call through, which may be while these are made.
    await eventually(async () => {
      const reached = seen.length;
      await fail(5, { timeoutMs: 50 });
      expect(seen).toHaveLength(reached);
    });

    respond = answerWith(200, '{"answer":42}');
    const answer = await eventually(ask);
    expect(answer).toEqual({ answer: 42 });
    expect(await ask()).toEqual({ answer: 42 });
  });

  it('finds out by a probe whether a service is back where a caller could make a trial last', async () => {
    await client[Symbol.asyncDispose]();
    client = startClient({ isProbed: true });
    respond = answerWith(503, '{}');
    await fail(8);
    const mayEnd = Promise.withResolvers<void>();
    respond = (req, res) => {
      if (req.url === '/slow') void mayEnd.promise.then(() => res.end('{"answer":1}'));
      else res.end('{"answer":42}');
    };
    let slow: Promise<unknown> | undefined;
    await eventually(async () => {
      const reached = () => seen.some(({ url }) => url === '/slow');
      slow = ask({ path: '/slow' }).catch(() => undefined);
      await Promise.race([slow, eventually(async () => expect(reached()).toBe(true))]);
      expect(reached()).toBe(true);
    });
    expect(await ask()).toEqual({ answer: 42 });
    mayEnd.resolve();
    await slow;
  });

  it.each([
    ['404', answerWith(404, '{}')],
    ['500, which one input may cause', answerWith(500, '{}')],
    ['200 with what nobody expects', answerWith(200, '{}')],
    ['200 with garbage', answerWith(200, 'garbage')],
  ])('does not open for an answer to one call: %s', async (_case, listener) => {
    respond = listener;
    await fail(12);
    expect(seen.length).toBe(12);
  });

  it('does not open because callers have little time left', async () => {
    respond = () => {};
    for (let call = 0; call < 8; call += 1)
      await expect(ask({ deadline: createDeadline(20) })).rejects.toMatchObject(unavailable);
    respond = answerWith(200, '{"answer":42}');
    expect(await ask()).toEqual({ answer: 42 });
  });
});

describe('a caller who leaves', () => {
  it('ends the call at the other service, as often as it likes, without opening the breaker', async () => {
    let ended = 0;
    respond = (_req, res) => res.once('close', () => (ended += 1));
    for (let count = 1; count <= 8; count += 1) {
      const caller = callerPresence();
      const deadline = createDeadline(60_000, caller).whileAwaited();
      const asked = ask({ deadline, timeoutMs: 60_000 });
      await eventually(() => expect(seen).toHaveLength(count));
      caller.leave();
      await expect(asked).rejects.toMatchObject({ status: 499 });
    }
    await eventually(() => expect(ended).toBe(8));
    respond = answerWith(200, '{"answer":42}');
    expect(await ask()).toEqual({ answer: 42 });
  });

  it('does not end a call of work that has begun', async () => {
    const caller = callerPresence();
    respond = (_req, res) => {
      caller.leave();
      res.end('{"answer":42}');
    };
    expect(await ask({ deadline: createDeadline(60_000, caller) })).toEqual({ answer: 42 });
  });
});
