/** Services that answer wrongly: the caller hears 503 within 3 seconds or sees the reply break off, and no socket is left. */
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { answerJson } from './fake-upstream.ts';
import { openSockets, sendRaw, statusesIn } from './raw-client.ts';

let gateway: GatewayUnderTest;
let key: string;
const good = answerJson(() => ({ status: 200, body: { return_code: 'S1' } }));

beforeAll(async () => {
  gateway = await startGatewayUnderTest();
  ({ key } = await gateway.createKey(await gateway.register()));
});
afterAll(async () => gateway[Symbol.asyncDispose]());
beforeEach(async () => {
  gateway.offers.respond = good;
  // The breaker looks at the share of failures: with so many successes it stays closed, and every case is tried for real.
  for (let count = 0; count < 10; count += 1) await gateway.call('/categories', { key });
});

/** Answers with these bytes on the bare connection. */
function answerRaw(write: (socket: Socket) => void) {
  gateway.offers.respond = (req) => {
    req.socket.on('error', () => {});
    write(req.socket);
  };
}

/** What a caller makes of the reply: its status when it came whole, else that it broke off. */
async function outcome(): Promise<number | 'broken'> {
  return gateway.call('/categories', { key, once: true }).then(
    ({ status }) => status,
    () => 'broken' as const,
  );
}

const head = (...lines: string[]) =>
  ['HTTP/1.1 200 OK', 'Content-Type: application/json', ...lines, '', ''].join('\r\n');

/** Writes for as long as the other side listens. */
function goOn(socket: Socket, text: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

const misbehaviours: [string, (socket: Socket) => void][] = [
  ['sends half a head and hangs', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Ty')],
  ['sends half a head and closes', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty')],
  ['sends a header of 100 KB', (socket) => socket.write(head(`X-Large: ${'x'.repeat(100_000)}`))],
  ['sends heads without end', (socket) => goOn(socket, 'X-More: and more\r\n')],
  ['sends early hints without end', (socket) => goOn(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  [
    'changes the protocol',
    (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    },
  ],
  ['tells its length in two ways', (socket) => socket.write(head('Content-Length: 2', 'Content-Length: 3'))],
  ['sends a head and no body', (socket) => socket.write(head('Content-Length: 10'))],
];

const breakOffs: [string, (socket: Socket) => void][] = [
  ['closes before the length it promised', (socket) => socket.end(`${head('Content-Length: 100')}{"half":`)],
  [
    'trickles beyond its budget',
    (socket) => {
      socket.write(`${head('Content-Length: 1000')}{"half":`);
      goOn(socket, ' ', 100);
    },
  ],
  [
    'sends a body without end',
    (socket) => {
      socket.write(head('Transfer-Encoding: chunked'));
      goOn(socket, '4\r\nmore\r\n', 10);
    },
  ],
  ['breaks a chunk', (socket) => socket.write(`${head('Transfer-Encoding: chunked')}4\r\nhalf\r\nzz\r\n`)],
  [
    'resets in the middle',
    (socket) => {
      socket.write(`${head('Content-Length: 100')}{"half":`);
      setTimeout(() => socket.resetAndDestroy(), 50);
    },
  ],
];

describe('503 within 3 seconds', () => {
  it.each(misbehaviours)('answers when the service %s', async (_case, write) => {
    answerRaw(write);
    const { status, body, headers } = await inTime(3_000, () =>
      gateway.call('/categories', { key, once: true }),
    );
    expect([status, body]).toEqual([503, { message: 'Service unavailable' }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('half a reply', () => {
  it.each(breakOffs)('is never taken for a whole one when the service %s', async (_case, write) => {
    answerRaw(write);
    await inTime(3_000, async () => expect(['broken', 503]).toContain(await outcome()));
  });
});

describe('a reply with more than it should have', () => {
  it('ends at its length; what follows reaches nobody', async () => {
    answerRaw((socket) => {
      socket.write(`${head('Content-Length: 2')}{}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"evil"`);
    });
    expect((await gateway.call('/categories', { key })).body).toEqual({});
    gateway.offers.respond = good;
    // The connection is not to be trusted any more: at most one request may find that out.
    await outcome();
    expect((await gateway.call('/categories', { key, once: true })).body).toEqual({ return_code: 'S1' });
  });

  it('loses what belongs to the connection, and what its Connection header names', async () => {
    answerRaw((socket) => {
      socket.write(
        `${head(
          'Connection: close, X-Internal-Hop',
          'Keep-Alive: timeout=77',
          'Proxy-Authenticate: Basic',
          'Proxy-Connection: keep-alive',
          'Proxy-Authentication-Info: x',
          'Trailer: X-Later',
          'Upgrade: h2c',
          'X-Internal-Hop: secret-hop',
          'X-Of-The-Reply: stays',
          'Transfer-Encoding: chunked',
        )}2\r\n{}\r\n0\r\nX-Later: trailer-value\r\n\r\n`,
      );
    });
    const { status, headers } = await gateway.call('/categories', { key });
    expect(status).toBe(200);
    expect(headers.get('x-of-the-reply')).toBe('stays');
    const names = [
      'x-internal-hop',
      'proxy-authenticate',
      'proxy-connection',
      'proxy-authentication-info',
      'trailer',
      'upgrade',
      'x-later',
    ];
    expect(names.filter((name) => headers.has(name))).toEqual([]);
    expect(headers.get('keep-alive')).not.toBe('timeout=77');
  });

  it('cannot end its head early to write one of its own', async () => {
    answerRaw((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nX-Thing: a\nX-Evil: b\r\nContent-Length: 2\r\n\r\n{}'),
    );
    const request = `GET /categories HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(gateway.url, request).answer;
    expect(statusesIn(answer)).toHaveLength(1);
    expect(answer).not.toMatch(/^X-Evil/im);
  });
});

describe('after 200 wrong answers', () => {
  it('no socket is left that was not there before', async () => {
    await gateway.call('/categories', { key });
    const before = openSockets();
    // Those that are over at once; the breaker would keep the others away after the first few.
    const quick = [...misbehaviours, ...breakOffs].filter(([name]) =>
      /closes|100 KB|protocol|two ways|breaks a chunk|resets/.test(name),
    );
    for (let count = 0; count < 200; count += 1) {
      answerRaw(quick[count % quick.length]![1]);
      await outcome();
      gateway.offers.respond = good;
      for (let after = 0; after < 2; after += 1) await outcome();
    }
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 6));
  });

  it('nor after many that hang at once', async () => {
    const before = openSockets();
    gateway.offers.respond = () => {};
    const ask = () => {
      const own = [`X-Api-Key: ${key}`, `X-Forwarded-For: ${unusedIp()}`, 'Connection: close'];
      return sendRaw(gateway.url, ['GET /categories HTTP/1.1', 'Host: a', ...own, '', ''].join('\r\n'))
        .answer;
    };
    const answers = await Promise.all(Array.from({ length: 200 }, ask));
    expect(new Set(answers.map((answer) => statusesIn(answer).join()))).toEqual(new Set(['503']));
    gateway.offers.respond = good;
    await eventually(async () => expect(await outcome()).toBe(200));
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 6));
  });
});
