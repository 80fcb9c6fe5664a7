/** What the server refuses or ends by itself: slow uploads, and requests that Node's parser cannot read. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { startTestServer } from '@offer-ads/testing/http-server';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Express } from 'express';
import { sendRaw, statusLinesIn } from '../../test/raw-http.ts';

const readAll = (app: Express) =>
  app.post('/', async (req, res) => {
    let bytes = 0;
    for await (const chunk of req) bytes += (chunk as Buffer).length;
    res.json({ bytes });
  });
const timedOut = /^HTTP\/1\.1 408 .*"message":"Request timeout"/s;
const uploadOf = (bytes: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;
const never = 3_600_000;

describe('an upload', () => {
  it('ends with 408 when no byte comes for a while', async () => {
    await using server = await startTestServer(readAll, {
      stallMs: 150,
      crawlWindowMs: never,
      uploadMs: never,
    });
    // If the machine is slow, the server may not have read the first bytes before the time is over.
    await eventually(async () => expect(await sendRaw(server, `${uploadOf(10)}abc`).reply).toMatch(timedOut));
  });

  it('goes on while it is slow but moves', async () => {
    await using server = await startTestServer(readAll, { stallMs: 500 });
    // If the machine stands still for longer than the limit, so does the upload.
    await eventually(async () => {
      const { socket, reply } = sendRaw(server, uploadOf(6).replace('Host', 'Connection: close\r\nHost'));
      for (let sent = 1; sent <= 6; sent += 1) setTimeout(() => socket.write('x'), 100 * sent);
      expect(await reply).toContain('"bytes":6');
    });
  });

  it('ends with 408 when fewer than 16 KiB come in ten seconds, and not before', async () => {
    let taken = 0;
    const count = (app: Express) =>
      app.post('/', (req, res) => {
        req.on('data', (chunk: Buffer) => (taken += chunk.length)).on('end', () => res.end('whole'));
      });
    // The server looks at uploads only when the test lets ten seconds pass.
    jest.useFakeTimers({ doNotFake: timersButIntervals });
    try {
      await using server = await startTestServer(count, { stallMs: never, uploadMs: never });
      const { socket, reply } = sendRaw(server, uploadOf(2));
      const send = async (bytes: number, head = '') => {
        const expected = taken + bytes;
        socket.write(head + 'x'.repeat(bytes));
        await eventually(() => expect(taken).toBe(expected));
      };
      await send(1);
      jest.advanceTimersByTime(10_000);
      await send(1);
      // A second upload over the same connection has ten seconds of its own.
      await send(1, uploadOf(50_000_000));
      jest.advanceTimersByTime(10_000);
      for (const bytes of [16_384, 16_384, 16_383]) {
        await send(bytes);
        jest.advanceTimersByTime(10_000);
      }
      expect(await reply).toMatch(/whole.*HTTP\/1\.1 408 .*"message":"Request timeout"/s);
    } finally {
      jest.useRealTimers();
    }
  });

  it('ends with 408 when it takes too long, at any speed', async () => {
    await using server = await startTestServer(readAll, { uploadMs: 400 });
    const { socket, reply } = sendRaw(server, uploadOf(50_000_000));
    const sending = setInterval(() => socket.write('x'.repeat(20_000)), 5);
    expect(await reply.finally(() => clearInterval(sending))).toMatch(timedOut);
  });

  it('may take 60 seconds, 15 without a byte and 10 for its headers, unless the service sets other limits', async () => {
    await using server = await startTestServer((app) =>
      app.get('/', (req, res) => {
        const { server } = req.socket as Socket & { server: Server };
        const { requestTimeout, timeout, headersTimeout } = server;
        res.json({ requestTimeout, timeout, headersTimeout });
      }),
    );
    const limits = await (await fetch(server.url)).json();
    expect(limits).toEqual({ requestTimeout: 60_000, timeout: 15_000, headersTimeout: 10_000 });
  });

  it('is not ended as slow while the service does not read it', async () => {
    let unread: IncomingMessage | undefined;
    const wait = (app: Express) =>
      app.post('/', (req, res) => {
        unread = req.once('end', () => res.end('read'));
      });
    jest.useFakeTimers({ doNotFake: timersButIntervals });
    try {
      await using server = await startTestServer(wait, { stallMs: never, uploadMs: never });
      const reply = fetch(server.url, { method: 'POST', body: 'x'.repeat(1_000_000) });
      await eventually(() => expect(unread?.readableLength).toBeGreaterThan(0));
      jest.advanceTimersByTime(30_000);
      unread?.resume();
      expect(await (await reply).text()).toBe('read');
    } finally {
      jest.useRealTimers();
    }
  });
});

it('a caller whose upload is complete may wait longer than an upload may stall', async () => {
  await using server = await startTestServer(
    (app) =>
      app.get('/slow', (_req, res) => {
        setTimeout(() => res.end('slow'), 400);
      }),
    { stallMs: 150 },
  );
  // If the machine is slow, the server may not have read the request in time.
  await eventually(async () => expect(await (await fetch(`${server.url}/slow`)).text()).toBe('slow'));
});

describe('a request that cannot be read', () => {
  it.each([
    ['too large headers', `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ['no request at all', 'NONSENSE\r\n\r\n', '400'],
  ])('is refused: %s', async (_case, bytes, status) => {
    await using server = await startTestServer(() => {});
    const reply = await sendRaw(server, bytes).reply;
    expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"message":"[A-Z]`, 's'));
  });

  it('neither replaces nor interrupts the reply to an earlier request on its connection', async () => {
    await using server = await startTestServer((app) => {
      app.get('/half', (_req, res) => {
        res.write('first half,');
        setTimeout(() => res.end('second half'), 100);
      });
      app.get('/slow', (_req, res) => {
        setTimeout(() => res.json({ slow: true }), 100);
      });
    });
    const behind = (path: string) =>
      sendRaw(server, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\nNONSENSE\r\n\r\n`).reply;
    const [half, slow] = await Promise.all([behind('/half'), behind('/slow')]);
    expect(half).toMatch(/^HTTP\/1\.1 200 OK.*first half,.*second half\s+0\s+$/s);
    expect(slow).toMatch(/^HTTP\/1\.1 200 OK.*\{"slow":true\}$/s);
  });

  it('is answered 400 when the earlier request has its reply', async () => {
    await using server = await startTestServer((app) => void app.get('/', (_req, res) => void res.json({})));
    const { socket, reply } = sendRaw(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.write('NONSENSE\r\n\r\n');
    expect(statusLinesIn(await reply)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('is answered with one 400 and the usual headers when its body is broken', async () => {
    await using server = await startTestServer(readAll);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const reply = await sendRaw(server, `${head}zz\r\n`).reply;
    expect(statusLinesIn(reply)).toEqual(['HTTP/1.1 400']);
    expect(reply).toMatch(/^X-Request-Id: /m);
  });

  it('is cut off when its sender does not stop sending', async () => {
    await using server = await startTestServer(() => {});
    // Does not close its own side when the server does.
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const cut = new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve()));
    let reply = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (reply += chunk));
    socket.write('NONSENSE\r\n\r\n');
    const more = setInterval(() => socket.write('MORE'), 50);
    await cut.finally(() => clearInterval(more));
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  });
});

const timersButIntervals = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];
