import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { z } from 'zod';
import { callerGone } from '../process/faults.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createDeadline } from './deadline.ts';
import { createServiceClient, type ServiceCall, type ServiceClient } from './service-client.ts';

const reply = z.object({ answer: z.number() });
const unavailable = { status: 503, publicBody: { message: 'Service unavailable' }, retryAfterSeconds: 2 };

let server: Server;
let client: ServiceClient;
let respond: RequestListener;
let seen: IncomingMessage[];

beforeEach(async () => {
  seen = [];
  respond = answer42;
  server = createServer((req, res) => {
    seen.push(req);
    respond(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = createServiceClient({
    name: 'pricing',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    logger: silentLogger,
    metrics: createMetrics('offers'),
    timeoutMs: 50_000,
  });
});

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

const answerWith =
  (status: number, body = '{}'): RequestListener =>
  (_req, res) =>
    void res.writeHead(status).end(body);
const answer42 = answerWith(200, '{"answer":42}');
const breakConnection: RequestListener = (req) => req.socket.resetAndDestroy();

describe('a call to another service', () => {
  it('sends the caller, the request id, the budget and the body, and returns the checked reply', async () => {
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

  it('returns the bytes of a reply that is not JSON, as they are, with their type', async () => {
    respond = (_req, res) =>
      void res.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.of(0, 255, 123));
    const picture = { contentType: 'image/png', bytes: Buffer.of(0, 255, 123) };
    expect(await ask({ reply: z.any() as never })).toEqual(picture);
    await expect(ask()).rejects.toMatchObject(unavailable);
  });

  it('sends no larger budget than the caller has left', async () => {
    await ask({ deadline: createDeadline(20_000) });
    expect(Number(seen[0]?.headers['x-request-budget-ms'])).toBeLessThanOrEqual(20_000);
  });

  it('reuses connections', async () => {
    for (let time = 0; time < 20; time += 1) await ask();
    expect(new Set(seen.map((request) => request.socket.remotePort)).size).toBeLessThan(4);
  });

  it.each<[string, RequestListener]>([
    ['answers garbage', answerWith(200, 'garbage')],
    ['answers another shape', answerWith(200, '{"answer":"42"}')],
    ['answers 500', answerWith(500)],
    ['breaks the connection', breakConnection],
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

  it.each([
    ["the caller's deadline", () => ({ deadline: createDeadline(150) })],
    ['its own time-out', () => ({ timeoutMs: 150 })],
  ])('ends at %s when the service does not answer', async (_case, overrides) => {
    respond = () => {};
    await inTime(1_900, () => expect(ask(overrides())).rejects.toMatchObject(unavailable));
  });

  it('is a 429 when the service answers 429', async () => {
    respond = answerWith(429);
    await expect(ask()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2 });
  });

  it("is a 429 with the service's own message and wait when it says them", async () => {
    const message = 'Wait for the next hour';
    respond = (_req, res) =>
      void res.writeHead(429, { 'retry-after': '900' }).end(JSON.stringify({ message }));
    await expect(ask()).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 900,
      publicBody: { message },
    });
  });

  it('is not sent when the deadline has passed', async () => {
    await expect(ask({ deadline: createDeadline(0) })).rejects.toMatchObject(unavailable);
    expect(seen).toHaveLength(0);
  });
});

describe('the one retry of a safe call', () => {
  it('follows a broken connection', async () => {
    respond = (req, res) => {
      if (seen.length === 1) req.socket.resetAndDestroy();
      else res.end('{"answer":42}');
    };
    expect(await ask({ retry: 'safe' })).toEqual({ answer: 42 });
  });

  it('is not made for other calls, and not after an answer', async () => {
    respond = breakConnection;
    await expect(ask()).rejects.toMatchObject(unavailable);
    respond = answerWith(500);
    await expect(ask({ retry: 'safe' })).rejects.toMatchObject(unavailable);
    expect(seen).toHaveLength(2);
  });
});

describe('the breaker', () => {
  async function fail(times: number, how: Partial<ServiceCall<typeof reply>> = {}) {
    for (let time = 0; time < times; time += 1) await expect(ask(how)).rejects.toMatchObject(unavailable);
  }

  it.each<[string, RequestListener]>([
    ['answers 503', answerWith(503)],
    ['breaks connections', breakConnection],
    ['does not answer in time', () => {}],
  ])('opens when a service %s', async (_case, listener) => {
    respond = listener;
    await fail(8, { timeoutMs: 50 });
    expect(seen.length).toBeLessThan(8);
  });

  it('finds out by a probe of /livez whether the service is back', async () => {
    respond = answerWith(503);
    await fail(5);
    respond = answer42;
    await eventually(() => expect(seen.at(-1)?.url).toBe('/livez'));
    expect(await eventually(ask)).toEqual({ answer: 42 });
  });

  it.each([
    ['500, which the input may have caused', answerWith(500)],
    ['200 with an unexpected body', answerWith(200)],
    ['200 with garbage', answerWith(200, 'garbage')],
  ])('does not open for an answer to one call: %s', async (_case, listener) => {
    respond = listener;
    await fail(12);
    expect(seen.length).toBe(12);
  });

  it('does not open for calls that had little time left', async () => {
    respond = () => {};
    for (let call = 0; call < 8; call += 1)
      await expect(ask({ deadline: createDeadline(20) })).rejects.toMatchObject(unavailable);
    respond = answer42;
    expect(await ask()).toEqual({ answer: 42 });
  });
});

describe('a caller who leaves', () => {
  it('ends the call to the other service, and however often, the breaker stays closed', async () => {
    let ended = 0;
    respond = (_req, res) => res.once('close', () => (ended += 1));
    for (let count = 1; count <= 8; count += 1) {
      const caller = new AbortController();
      const deadline = createDeadline(60_000, caller.signal).whileAwaited();
      const asked = ask({ deadline, timeoutMs: 60_000 });
      await eventually(() => expect(seen).toHaveLength(count));
      caller.abort(callerGone());
      await expect(asked).rejects.toMatchObject({ status: 499 });
    }
    await eventually(() => expect(ended).toBe(8));
    respond = answer42;
    expect(await ask()).toEqual({ answer: 42 });
  });

  it('does not end a call under the plain deadline', async () => {
    const caller = new AbortController();
    respond = (_req, res) => {
      caller.abort(callerGone());
      res.end('{"answer":42}');
    };
    expect(await ask({ deadline: createDeadline(60_000, caller.signal) })).toEqual({ answer: 42 });
  });
});
