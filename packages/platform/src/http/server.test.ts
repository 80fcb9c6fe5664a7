import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import express, { type Express } from 'express';
import { systemClock } from '../process/clock.ts';
import { Fault, serviceUnavailable } from '../process/faults.ts';
import { createLogger } from '../telemetry/logging.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { requestFacts } from './request.ts';
import { jsonBody } from './request-bodies.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './server.ts';

const timersButIntervals = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];
const lines: string[] = [];
const open: AsyncDisposable[] = [];

async function start(
  routes: (app: Express) => void,
  overrides: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  const server = await startHttpServer({
    service: 'offers',
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({
      service: 'offers',
      level: 'info',
      destination: { write: (line) => lines.push(line) },
    }),
    metrics: createMetrics('offers'),
    clock: systemClock,
    readiness: async () => [],
    routes,
    ...overrides,
  });
  open.push(server);
  return server;
}

afterEach(async () => {
  lines.length = 0;
  await Promise.all(open.splice(0).map((server) => server[Symbol.asyncDispose]()));
});

/** Sends bytes as they are and gives all that came back until the server closed. */
function raw(server: HttpServer, bytes: string): { socket: Socket; answer: Promise<string> } {
  const socket = connect(server.port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  const answer = new Promise<string>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
  socket.write(bytes);
  return { socket, answer };
}

describe('requests that come over one connection without waiting for replies', () => {
  const request = (n: number) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const requests = (count: number) => Array.from({ length: count }, (_, n) => request(n)).join('');

  it('are served one after the other and answered in order', async () => {
    let underWay = 0;
    let most = 0;
    const server = await start((app) =>
      app.get('/:n', async (req, res) => {
        most = Math.max(most, (underWay += 1));
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        res.end(`reply ${req.params.n};`);
      }),
    );
    const { answer } = raw(
      server,
      `${requests(50)}GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    const replies = [...(await answer).matchAll(/reply (\w+);/g)].map(([, n]) => n);
    expect(replies).toEqual([...Array.from({ length: 50 }, (_, n) => `${n}`), 'last']);
    expect(most).toBe(1);
  });

  it('are cut off when more of them wait than any client sends', async () => {
    const served: string[] = [];
    const server = await start((app) => app.get('/:n', (req) => void served.push(req.params.n ?? '')));
    await raw(server, requests(500)).answer;
    expect(served).toEqual(['0']);
  });

  it('are cut off when too many wait over all connections together, and are served again once those have gone', async () => {
    let isHeld = true;
    const server = await start((app) => app.get('/:n', (_req, res) => void (isHeld || res.end('reply;'))));
    const callers = Array.from({ length: 40 }, () => raw(server, requests(60)));
    await Promise.race(callers.map(({ answer }) => answer));
    isHeld = false;
    for (const { socket } of callers) socket.destroy();
    await eventually(async () => {
      const { answer } = raw(server, `${requests(60)}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect((await answer).match(/reply;/g)).toHaveLength(60);
    });
  });
});

describe('the time of the store', () => {
  it('is told to services, which say a budget, and to nobody else', async () => {
    const storeClock = { note: () => {}, nowMs: () => 1_000_000 };
    const server = await start((app) => app.get('/', (_req, res) => void res.end()), { storeClock });
    const shownTo = async (headers: Record<string, string>) =>
      (await fetch(server.url, { headers })).headers.get('x-store-time');
    expect(await shownTo({ 'x-request-budget-ms': '2000' })).toBe('1000000');
    expect(await shownTo({})).toBeNull();
  });

  it('by which a caller bounds the commit is part of the deadline, unless it is no time', async () => {
    const given: (number | undefined)[] = [];
    const server = await start((app) =>
      app.get('/', (req, res) => {
        given.push(requestFacts(req).deadline().commitByMs);
        res.end();
      }),
    );
    for (const time of ['1000000', 'soon', '-1', '1.5'])
      await fetch(server.url, { headers: { 'x-commit-by': time } });
    expect(given).toEqual([1_000_000, undefined, undefined, undefined]);
  });
});

describe('a body that is not JSON', () => {
  it('is refused, and not quoted in the log', async () => {
    const server = await start((app) => app.post('/', express.json(), (_req, res) => void res.end()));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(server.url, { method: 'POST', headers, body: 'pk_test_secret' });
    expect([response.status, await response.json()]).toEqual([400, { message: 'Bad request' }]);
    expect(lines.join()).toContain('the body is not JSON');
    expect(lines.join()).not.toContain('pk_');
  });
});

describe('a body that nobody wants', () => {
  const whole = 64 * 1024 * 1024;
  /** Sends this much as fast as it is taken; gives what was taken of it, and the answer. */
  async function upload(server: HttpServer, head: string, bytes: number) {
    const { socket, answer } = raw(server, head);
    const chunk = Buffer.alloc(64 * 1024, ' ');
    let left = bytes;
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length;
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), answer]);
    }
    return { socket, answer, taken: bytes - left };
  }

  it.each([
    ['that no route takes', '/nowhere', '404 Not Found'],
    ['that is longer than its route takes', '/json', '413 Payload Too Large'],
  ])('%s is cut off soon after the reply', async (_case, path, status) => {
    const server = await start((app) => app.post('/json', jsonBody({ mostBytes: 100 })));
    const json = 'Host: a\r\nContent-Type: application/json';
    for (const length of [
      `Content-Length: ${whole}\r\n\r\n`,
      'Transfer-Encoding: chunked\r\n\r\n4000000\r\n',
    ]) {
      const { answer, taken } = await upload(server, `POST ${path} HTTP/1.1\r\n${json}\r\n${length}`, whole);
      expect(await answer).toContain(status);
      // Beside what is read and discarded, what fits into the kernel's buffers.
      expect(taken).toBeLessThan(whole / 2);
    }
  });

  it('of the size of an honest upload is taken, so that its sender hears the reply, over a connection that stays', async () => {
    const server = await start(() => {});
    const bytes = 6 * 1024 * 1024;
    const head = `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;
    const { socket, answer } = await upload(server, head, bytes);
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect((await answer).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  it('of JSON is read up to its bound, in one piece or in many, and no further', async () => {
    const server = await start((app) =>
      app.post('/json', jsonBody({ mostBytes: 10 }), (req, res) => void res.json(req.body)),
    );
    const post = async (body: string, chunked = false) => {
      const stream = new Blob([body]).stream();
      const response = await fetch(`${server.url}/json`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: chunked ? stream : body,
        ...(chunked && { duplex: 'half' }),
      });
      return [response.status, await response.json()];
    };
    for (const chunked of [false, true]) {
      expect(await post('{"a":12345', chunked)).toEqual([400, { message: 'Bad request' }]);
      expect(await post('{"a":1234}', chunked)).toEqual([200, { a: 1234 }]);
      expect(await post('{"a":12345}', chunked)).toEqual([413, { message: 'Payload too large' }]);
    }
  });
});

describe('request ids', () => {
  it('are taken from the caller when well-formed and are in the reply and the log', async () => {
    const server = await start(() => {});
    const response = await fetch(server.url, { headers: { 'x-request-id': 'order-12345.a_b' } });
    expect(response.headers.get('x-request-id')).toBe('order-12345.a_b');
    expect(lines.join()).toContain('"requestId":"order-12345.a_b"');
  });

  it.each(['short', 'with space 123', 'x'.repeat(65), 'semi;colon;1'])(
    'replace %j by one of our own',
    async (given) => {
      const server = await start(() => {});
      const response = await fetch(server.url, { headers: { 'x-request-id': given } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('replies', () => {
  it('to unknown routes are 404 with the agreed body', async () => {
    const server = await start(() => {});
    const response = await fetch(`${server.url}/nowhere`);
    expect([response.status, await response.json()]).toEqual([404, { message: 'Not found' }]);
  });

  it('to an unexpected error are 500 with the agreed body and nothing of ours; the log has the cause', async () => {
    const server = await start((app) => {
      app.get('/broken', () => {
        throw new Error('the table is on fire');
      });
    });
    const response = await fetch(`${server.url}/broken`);
    expect([response.status, await response.json()]).toEqual([500, { message: 'Internal server error' }]);
    expect(response.headers.has('x-request-id')).toBe(true);
    expect(lines.join()).toContain('the table is on fire');
  });

  it('to a fault carry its status, its public body and Retry-After', async () => {
    const server = await start((app) => {
      app.get('/down', async () => {
        throw serviceUnavailable('billing hangs');
      });
      app.get('/teapot', async () => {
        throw new Fault('internal', { status: 418, publicMessage: 'Short and stout' });
      });
    });
    const down = await fetch(`${server.url}/down`);
    expect([down.status, await down.json()]).toEqual([503, { message: 'Service unavailable' }]);
    expect(down.headers.get('retry-after')).toBe('2');
    const teapot = await fetch(`${server.url}/teapot`);
    expect([teapot.status, await teapot.json()]).toEqual([418, { message: 'Short and stout' }]);
  });

  it('that break half-way are cut off, so that nobody takes them for whole', async () => {
    const server = await start((app) => {
      app.get('/half', async (_req, res) => {
        res.write('{"half":');
        throw new Error('broke');
      });
    });
    await expect(fetch(`${server.url}/half`).then((response) => response.text())).rejects.toThrow(
      /failed|terminated/,
    );
  });

  it('tell browsers to come by https alone, where that is how callers know the service', async () => {
    for (const [publicUrl, told] of [
      ['https://ads.example', 'max-age=31536000'],
      ['http://ads.example', null],
      [undefined, null],
    ] as const) {
      const server = await start(() => {}, publicUrl === undefined ? {} : { publicUrl });
      expect((await fetch(server.url)).headers.get('strict-transport-security')).toBe(told);
    }
  });

  it('carry neither etag nor x-powered-by', async () => {
    const server = await start((app) => {
      app.get('/thing', (_req, res) => {
        res.json({ thing: 1 });
      });
    });
    const { headers } = await fetch(`${server.url}/thing`);
    expect([headers.get('etag'), headers.get('x-powered-by')]).toEqual([null, null]);
  });
});

describe('the access log', () => {
  it('names the route by its pattern, without ids or query string', async () => {
    const server = await start((app) => {
      app.get('/things/:id', (_req, res) => {
        res.json({});
      });
    });
    await fetch(`${server.url}/things/of-somebody?secret=hush`);
    expect(lines.join()).toContain('"route":"/things/:id"');
    expect(lines.join()).not.toMatch(/of-somebody|hush/);
  });
});

describe('a caller who leaves before the reply', () => {
  it('ends awaited work, leaves other work its time, and is logged as 499 and not as an error', async () => {
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    const server = await start((app) => {
      app.get('/things', async (req) => {
        const deadline = requestFacts(req).deadline();
        const plain = deadline.signal(60_000);
        const awaited = deadline.whileAwaited().signal(60_000);
        arrived.resolve();
        await once(awaited, 'abort');
        ended.resolve({ reason: awaited.reason, plainAborted: plain.aborted });
        deadline.whileAwaited().stopIfGone();
      });
    });
    const { socket } = raw(server, 'GET /things HTTP/1.1\r\nHost: a\r\n\r\n');
    await arrived.promise;
    socket.destroy();
    expect(await ended.promise).toMatchObject({ reason: { status: 499 }, plainAborted: false });
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(/http_request_duration_seconds_count\{.*route="\/things",status="499".*\} 1/);
    expect(lines.join()).toContain('"route":"/things","status":499');
    expect(lines.join()).not.toContain('"level":"error"');
  });

  it('is nobody who has the whole reply and closes the connection then', async () => {
    const server = await start((app) => {
      app.get('/things', (_req, res) => {
        res.json({});
      });
    });
    await raw(server, 'GET /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n').answer;
    expect(lines.join()).toContain('"route":"/things","status":200');
  });
});

describe('health', () => {
  it('is ready without problems, and names them when there are any', async () => {
    let problems: string[] = [];
    const server = await start(() => {}, { readiness: async () => problems });
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    problems = ['postgres does not answer'];
    const response = await fetch(`${server.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'not ready', problems });
  });

  it('counts requests by route and status for the scraper', async () => {
    const server = await start(() => {});
    await fetch(`${server.url}/nowhere`);
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(/http_request_duration_seconds_count\{.*route="unmatched",status="404".*\} 1/);
  });
});

describe('deadlines of requests', () => {
  it.each([
    ['the budget header', '2000', 2_000],
    ['at most 25 s', '999999', 25_000],
    ['25 s when the header is nonsense', 'soon', 25_000],
  ])('follow %s', async (_case, header, mostMs) => {
    const server = await start((app) => {
      app.get('/', (req, res) => {
        res.json(requestFacts(req).deadline().remainingMs());
      });
    });
    // The machine may stand still between the request and the look at what remains.
    await eventually(async () => {
      const response = await fetch(server.url, { headers: { 'x-request-budget-ms': header } });
      const remainingMs = (await response.json()) as number;
      expect(remainingMs).toBeLessThanOrEqual(mostMs);
      expect(remainingMs).toBeGreaterThan(mostMs - 1_500);
    });
  });

  it('count from when the body has arrived, however slowly it came', async () => {
    const server = await start((app) => {
      app.post('/', async (req, res) => {
        let bytes = 0;
        let arrivedAt = 0;
        req.once('end', () => (arrivedAt = performance.now()));
        for await (const chunk of req) bytes += (chunk as Buffer).length;
        const remainingMs = requestFacts(req).deadline().remainingMs();
        res.json({ bytes, budgetMs: Math.round(remainingMs + performance.now() - arrivedAt) });
      });
    });
    const head =
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\nX-Request-Budget-Ms: 9000\r\n\r\n';
    const { socket, answer } = raw(server, `${head}ab`);
    setTimeout(() => socket.write('cd'), 400);
    // What the machine needed between the two looks at its clock is no part of the 400 ms.
    expect(await answer).toMatch(/"bytes":4,"budgetMs":(8[89]\d\d|9000)/);
  });
});

describe('limits', () => {
  const swallow = (app: Express) =>
    app.post('/', async (req, res) => {
      let bytes = 0;
      for await (const chunk of req) bytes += (chunk as Buffer).length;
      res.json({ bytes });
    });

  it('end an upload that stalls with 408', async () => {
    const server = await start(swallow, { stallMs: 150, crawlWindowMs: 3_600_000, uploadMs: 3_600_000 });
    // One that stalls before its first byte has been read is no upload yet.
    await eventually(async () => {
      const { answer } = raw(server, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
      expect(await answer).toMatch(/^HTTP\/1\.1 408 .*"message":"Request timeout"/s);
    });
  });

  it('let an upload go on that is slow but moves', async () => {
    const server = await start(swallow, { stallMs: 1_500 });
    // Where the machine stands still for longer than an upload may, so does the upload.
    await eventually(async () => {
      const { socket, answer } = raw(
        server,
        'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 6\r\n\r\n',
      );
      for (let sent = 0; sent < 6; sent += 1) setTimeout(() => socket.write('x'), 300 * (sent + 1));
      expect(await answer).toContain('"bytes":6');
    });
  });

  const endless = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n';

  it('end an upload that moves, but hardly, with 408: at fewer than 16 KiB in ten seconds, and not before', async () => {
    let taken = 0;
    const read = (app: Express) =>
      app.post('/', (req, res) => {
        req.on('data', (chunk: Buffer) => (taken += chunk.length)).on('end', () => res.end('whole'));
      });
    // Looks at uploads only when the test lets ten seconds pass.
    jest.useFakeTimers({ doNotFake: timersButIntervals });
    try {
      const server = await start(read, { stallMs: 3_600_000, uploadMs: 3_600_000 });
      const { socket, answer } = raw(server, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
      const send = async (bytes: number, head = '') => {
        const expected = taken + bytes;
        socket.write(head + 'x'.repeat(bytes));
        await eventually(() => expect(taken).toBe(expected));
      };
      await send(1);
      jest.advanceTimersByTime(10_000);
      await send(1);
      // Over the same connection: its ten seconds begin with it.
      await send(1, endless);
      jest.advanceTimersByTime(10_000);
      for (const bytes of [16_384, 16_384, 16_383]) {
        await send(bytes);
        jest.advanceTimersByTime(10_000);
      }
      expect(await answer).toMatch(/whole.*HTTP\/1\.1 408 .*"message":"Request timeout"/s);
    } finally {
      jest.useRealTimers();
    }
  });

  it('end an upload with 408 that takes longer than any may, however much moves', async () => {
    const server = await start(swallow, { uploadMs: 400 });
    const { socket, answer } = raw(server, endless);
    const sending = setInterval(() => socket.write('x'.repeat(20_000)), 5);
    expect(await answer.finally(() => clearInterval(sending))).toMatch(
      /^HTTP\/1\.1 408 .*"message":"Request timeout"/s,
    );
  });

  it('are 60 seconds for an upload, 15 without a byte of it and 10 for headers, if the service names no others', async () => {
    const server = await start((app) =>
      app.get('/', (req, res) => {
        const { requestTimeout, timeout, headersTimeout } = (req.socket as Socket & { server: Server })
          .server;
        res.json({ requestTimeout, timeout, headersTimeout });
      }),
    );
    expect(await (await fetch(server.url)).json()).toEqual({
      requestTimeout: 60_000,
      timeout: 15_000,
      headersTimeout: 10_000,
    });
  });

  it('do not blame the sender of an upload that nobody reads', async () => {
    const server = await start(
      (app) =>
        app.post('/', (req, res) => {
          setTimeout(() => req.resume().once('end', () => res.json({ read: true })), 500);
        }),
      { crawlWindowMs: 100 },
    );
    const body = 'x'.repeat(1_000_000);
    expect(await (await fetch(server.url, { method: 'POST', body })).json()).toEqual({ read: true });
  });

  it('leave a caller waiting whose reply takes longer than an upload may stall', async () => {
    const server = await start(
      (app) => {
        app.get('/slow', (_req, res) => {
          setTimeout(() => res.json({ slow: true }), 400);
        });
      },
      { stallMs: 150 },
    );
    // Cut off is a connection whose request was not read in time.
    await eventually(async () =>
      expect(await (await fetch(`${server.url}/slow`)).json()).toEqual({ slow: true }),
    );
  });

  it('refuse too large headers with 431 and a broken request with 400', async () => {
    const server = await start(() => {});
    const large = raw(server, `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(await large.answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(await raw(server, 'NONSENSE\r\n\r\n').answer).toMatch(
      /^HTTP\/1\.1 400 .*"message":"Bad Request"/s,
    );
  });
});

describe('requests that two servers could read differently', () => {
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
  const post = (...lines: string[]) => ['POST / HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n');

  it.each([
    ['an unknown coding before chunked', post('Transfer-Encoding: cow', 'Transfer-Encoding: chunked'), 400],
    ['a compressed transfer', post('Transfer-Encoding: gzip, chunked'), 400],
    ['a coding in HTTP/1.0', post('Transfer-Encoding: chunked').replace('1.1', '1.0'), 400],
    ['several hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['a version that is not spoken', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505],
    ['no version', 'GET /\r\n\r\n', 505],
  ])('are refused with all that follows: %s', async (_case, bytes, status) => {
    const served: string[] = [];
    const server = await start((app) => void app.use((req) => void served.push(req.url)));
    const answer = await raw(server, `${bytes}0\r\n\r\n${smuggled}`).answer;
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(answer).toMatch(/^X-Request-Id: /m);
    expect(served).toEqual([]);
  });

  it.each([
    ['GET http://elsewhere.test/things?a=b HTTP/1.1', '/things?a=b'],
    ['GET HTTPS://elsewhere.test?a=b HTTP/1.1', '/?a=b'],
    ['GET //things HTTP/1.1', '//things'],
  ])('are served by their path when the address of a server stands before it: %s', async (line, url) => {
    const server = await start((app) => void app.use((req, res) => void res.json({ url: req.url })));
    expect(await raw(server, `${line}\r\nHost: a\r\nConnection: close\r\n\r\n`).answer).toContain(
      JSON.stringify({ url }),
    );
  });
});

describe('what is broken behind a request that is being served', () => {
  it('neither replaces its reply nor stands in the middle of it', async () => {
    const server = await start((app) => {
      app.get('/half', (_req, res) => {
        res.write('first half,');
        setTimeout(() => res.end('second half'), 100);
      });
      app.get('/slow', (_req, res) => {
        setTimeout(() => res.json({ slow: true }), 100);
      });
    });
    const behind = (path: string) =>
      raw(server, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\nNONSENSE\r\n\r\n`).answer;
    const [half, slow] = await Promise.all([behind('/half'), behind('/slow')]);
    expect(half).toMatch(/^HTTP\/1\.1 200 OK.*first half,.*second half\s+0\s+$/s);
    expect(slow).toMatch(/^HTTP\/1\.1 200 OK.*\{"slow":true\}$/s);
  });

  it('is answered 400 when no reply is under way', async () => {
    const server = await start((app) => void app.get('/', (_req, res) => void res.json({})));
    const { socket, answer } = raw(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.write('NONSENSE\r\n\r\n');
    expect((await answer).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('in its own body ends it with one 400, whose headers are those of every reply', async () => {
    const server = await start((app) => {
      app.post('/', async (req, res) => {
        let bytes = 0;
        for await (const chunk of req) bytes += (chunk as Buffer).length;
        res.json({ bytes });
      });
    });
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = await raw(server, `${head}zz\r\n`).answer;
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(answer).toMatch(/^X-Request-Id: /m);
  });

  it('is cut off when its sender goes on and on', async () => {
    const server = await start(() => {});
    // Does not close its own side when the server does.
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const cut = new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve()));
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
    socket.write('NONSENSE\r\n\r\n');
    const more = setInterval(() => socket.write('MORE'), 50);
    await cut.finally(() => clearInterval(more));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a graceful stop', () => {
  it('finishes what is in flight and refuses what is new', async () => {
    let finish = () => {};
    const arrived = Promise.withResolvers<void>();
    const server = await start((app) => {
      app.get('/work', (_req, res) => {
        finish = () => res.json({ done: true });
        arrived.resolve();
      });
    });
    const inFlight = fetch(`${server.url}/work`);
    await arrived.promise;
    const stopped = server[Symbol.asyncDispose]();
    await expect(fetch(`${server.url}/work`)).rejects.toThrow(/failed|terminated/);
    finish();
    expect(await (await inFlight).json()).toEqual({ done: true });
    await stopped;
  });

  it('ends a request that does not finish within its bound', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await start((app) => void app.get('/forever', () => arrived.resolve()), { stopMs: 100 });
    const forever = fetch(`${server.url}/forever`);
    await arrived.promise;
    await Promise.all([expect(forever).rejects.toThrow(/failed|terminated/), server[Symbol.asyncDispose]()]);
  });

  it('is not held up by idle keep-alive connections', async () => {
    const server = await start(() => {});
    const { socket } = raw(server, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    await server[Symbol.asyncDispose]();
    expect(socket.destroyed || socket.readableEnded || (await once(socket, 'close').then(() => true))).toBe(
      true,
    );
  });

  it('is not held up by a connection over which nothing ever came', async () => {
    const startAndStop = async () => {
      const server = await start(() => {});
      const { socket } = raw(server, '');
      await once(socket, 'connect');
      await server[Symbol.asyncDispose]();
    };
    // Node itself would leave it ten seconds for its first request.
    await expect(inTime(9_000, startAndStop)).resolves.toBeUndefined();
  });
});

describe('draining', () => {
  const request = 'GET /work HTTP/1.1\r\nHost: a\r\n\r\n';

  it('serves everybody, says that it is not ready, and ends each connection with its reply', async () => {
    const server = await start((app) => void app.get('/work', (_req, res) => void res.json({ done: true })));
    const kept = raw(server, request);
    await once(kept.socket, 'data');
    const drained = server.drain();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    const fresh = await fetch(`${server.url}/work`);
    expect([fresh.status, fresh.headers.get('connection')]).toEqual([200, 'close']);
    kept.socket.write(request);
    const replies = (await kept.answer).split('HTTP/1.1 ').slice(1);
    expect(replies.map((reply) => /^Connection: (.*)$/m.exec(reply)?.[1]?.trim())).toEqual([
      'keep-alive',
      'close',
    ]);
    // Nobody is left, so it is over long before its bound.
    await drained;
  });

  it('ends the connection of a request that was under way when it began', async () => {
    const arrived = Promise.withResolvers<() => void>();
    const server = await start((app) => {
      app.get('/work', (_req, res) => arrived.resolve(() => res.json({ done: true })));
    });
    const { answer } = raw(server, request);
    const finish = await arrived.promise;
    const drained = server.drain();
    finish();
    expect(await answer).toMatch(/^Connection: close\r$/m);
    await drained;
  });

  it('leaves idle connections to their callers until its bound', async () => {
    const server = await start((app) => void app.get('/work', (_req, res) => void res.end()), {
      drainMs: 100,
    });
    const { socket } = raw(server, request);
    await once(socket, 'data');
    await server.drain();
    expect(socket.readableEnded).toBe(false);
    await server[Symbol.asyncDispose]();
    await once(socket, 'close');
  });
});
