/** Services that answer wrongly or not at all: the caller gets a 503 within 3 seconds or a broken reply, and no socket stays open. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { openSockets, sendRaw, statusesIn } from './raw-client.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let key: string;

beforeAll(async () => {
  ({ key } = await gateway.createKey(await gateway.register()));
});
beforeEach(async () => {
  gateway.resetUpstreams();
  // The breaker opens when half of the latest requests failed. After these successes it stays closed, and every case reaches the service.
  for (let count = 0; count < 30; count += 1) await gateway.call('/categories', { key });
});

const head = (...lines: string[]) =>
  ['HTTP/1.1 200 OK', 'Content-Type: application/json', ...lines, '', ''].join('\r\n');

/** Writes until the other side closes. */
function writeOn(socket: Socket, text: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Answers with bytes on the bare connection. */
type Write = (socket: Socket) => unknown;

const unusable: Readonly<Record<string, Write>> = {
  'resets the connection': (socket) => socket.resetAndDestroy(),
  hangs: () => {},
  'sends what is not HTTP': (socket) => socket.end('nonsense\r\n\r\n'),
  'sends half a head and hangs': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Ty'),
  'sends half a head and closes': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  'sends a header of 100 KB': (socket) => socket.write(head(`X-Large: ${'x'.repeat(100_000)}`)),
  'sends a head without end': (socket) => writeOn(socket, 'X-More: and more\r\n'),
  'sends early hints without end': (socket) => writeOn(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  'switches protocols': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  'sends two different lengths': (socket) => socket.write(head('Content-Length: 2', 'Content-Length: 3')),
  'sends a head and no body': (socket) => socket.write(head('Content-Length: 10')),
  'closes between head and body': (socket) => socket.end(head('Content-Length: 10')),
};
const incomplete: Readonly<Record<string, Write>> = {
  'closes before its length': (socket) => socket.end(`${head('Content-Length: 100')}{"half":`),
  'trickles beyond its budget': (socket) => {
    socket.write(`${head('Content-Length: 1000')}{"half":`);
    writeOn(socket, ' ', 100);
  },
  'sends a body without end': (socket) => {
    socket.write(head('Transfer-Encoding: chunked'));
    writeOn(socket, '4\r\nmore\r\n', 10);
  },
  'breaks a chunk': (socket) => socket.write(`${head('Transfer-Encoding: chunked')}4\r\nhalf\r\nzz\r\n`),
  'resets within its body': (socket) => {
    socket.write(`${head('Content-Length: 100')}{"half":`);
    setTimeout(() => socket.resetAndDestroy(), 50);
  },
};

const breakConnection = (req: IncomingMessage, write: Write) => {
  req.socket.on('error', () => {});
  write(req.socket);
};

/** Calls offers once for each case at the same time; the offer id in the path says which case it is. */
async function askAllAtOnce<T>(cases: Readonly<Record<string, Write>>, ask: (path: string) => Promise<T>) {
  const writes = Object.values(cases);
  gateway.offers.respond = (req) =>
    breakConnection(req, writes[Number(/\d+/.exec(req.url ?? '')?.[0])] ?? (() => {}));
  const answers = await Promise.all(writes.map((_, index) => ask(`/offers/${index}/analytics`)));
  return Object.fromEntries(Object.keys(cases).map((name, index) => [name, answers[index]]));
}

const each = (cases: Readonly<Record<string, Write>>, value: unknown) =>
  Object.fromEntries(Object.keys(cases).map((name) => [name, value]));

const unavailable = { status: 503, body: { message: 'Service unavailable' }, mayRetry: true, limit: '60' };

/** What a caller needs to know of a 503. */
async function askOnce(path: string, o: { method?: string; body?: Buffer } = {}) {
  const { status, body, headers } = await gateway.call(path, { key, once: true, ...o });
  const mayRetry = Number(headers.get('retry-after')) > 0 && headers.has('x-request-id');
  return { status, body, mayRetry, limit: headers.get('x-ratelimit-limit') };
}

/** The status of a reply that arrived whole. */
function outcome(path = '/categories'): Promise<number | 'broken'> {
  return gateway.call(path, { key, once: true }).then(
    ({ status }) => status,
    () => 'broken' as const,
  );
}

describe('a service without a usable reply', () => {
  it('is a 503 within 3 seconds, whatever it does', async () => {
    await inTime(3_000, async () =>
      expect(await askAllAtOnce(unusable, askOnce)).toEqual(each(unusable, unavailable)),
    );
  });

  it('is a 503 within 3 seconds after the upload if it stops reading one, but has longer for a creation it has read', async () => {
    const slowly = (_req: IncomingMessage, res: ServerResponse) =>
      void setTimeout(() => res.end('{}'), 2_800);
    gateway.offers.respond = (req, res) => {
      if (req.headers['content-length'] === '4') req.resume().once('end', () => slowly(req, res));
    };
    const creation = gateway.call('/offers', { method: 'POST', key, body: 'form', once: true });
    const upload = { method: 'POST', body: Buffer.alloc(20_000_000) };
    await inTime(5_000, async () => expect(await askOnce('/offers', upload)).toEqual(unavailable));
    expect((await creation).status).toBe(200);
  });
});

describe('an incomplete reply', () => {
  it('never looks complete to the caller, and ends within 3 seconds', async () => {
    const isIncomplete = async (path: string) => [503, 'broken'].includes(await outcome(path));
    await inTime(3_000, async () =>
      expect(await askAllAtOnce(incomplete, isIncomplete)).toEqual(each(incomplete, true)),
    );
  });
});

describe('a reply with more than it should have', () => {
  it('ends at its length; nobody gets what follows', async () => {
    gateway.offers.respond = (req) =>
      req.socket.write(`${head('Content-Length: 2')}{}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"evil"`);
    expect((await gateway.call('/categories', { key })).body).toEqual({});
    gateway.offers.reset();
    // The connection cannot be used any more, and at most one request may notice that.
    await outcome();
    expect((await gateway.call('/categories', { key, once: true })).body).toEqual({ return_code: 'S1' });
  });

  it('loses the headers of the connection, and those that its Connection header names', async () => {
    const ofTheConnection = {
      Connection: 'close, X-Internal-Hop',
      'Keep-Alive': 'timeout=77',
      'Proxy-Authenticate': 'Basic',
      'Proxy-Connection': 'keep-alive',
      'Proxy-Authentication-Info': 'x',
      Trailer: 'X-Later',
      Upgrade: 'h2c',
      'X-Internal-Hop': 'secret-hop',
    };
    const lines = Object.entries(ofTheConnection).map(([name, value]) => `${name}: ${value}`);
    const body = '2\r\n{}\r\n0\r\nX-Later: trailer-value\r\n\r\n';
    gateway.offers.respond = (req) =>
      req.socket.write(head(...lines, 'X-Of-The-Reply: stays', 'Transfer-Encoding: chunked') + body);
    const { status, headers } = await gateway.call('/categories', { key });
    expect([status, headers.get('x-of-the-reply'), headers.has('x-later')]).toEqual([200, 'stays', false]);
    const passed = Object.entries(ofTheConnection).filter(([name, value]) => headers.get(name) === value);
    expect(passed).toEqual([]);
  });

  it('cannot end its head early to add a reply of its own', async () => {
    gateway.offers.respond = (req) =>
      req.socket.end('HTTP/1.1 200 OK\r\nX-Thing: a\nX-Evil: b\r\nContent-Length: 2\r\n\r\n{}');
    const request = `GET /categories HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(gateway.url, request).answer;
    expect(statusesIn(answer)).toHaveLength(1);
    expect(answer).not.toMatch(/^X-Evil/im);
  });
});

describe('no socket stays open', () => {
  it('after many wrong answers', async () => {
    const before = openSockets();
    // Only those that end at once: the others would open the breaker.
    const quick = Object.entries({ ...unusable, ...incomplete }).filter(([name]) =>
      /closes|100 KB|protocols|two different|breaks a chunk|resets/.test(name),
    );
    for (let count = 0; count < runs(3 * quick.length, 200); count += 1) {
      gateway.offers.respond = (req) => breakConnection(req, quick[count % quick.length]![1]);
      await outcome();
      gateway.offers.reset();
      for (let after = 0; after < 2; after += 1) await outcome();
    }
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 6));
  });

  it('after many requests that hang at the same time', async () => {
    const before = openSockets();
    gateway.offers.respond = () => {};
    const ask = () => {
      const own = [`X-Api-Key: ${key}`, `X-Forwarded-For: ${unusedIp()}`, 'Connection: close'];
      return sendRaw(gateway.url, ['GET /categories HTTP/1.1', 'Host: a', ...own, '', ''].join('\r\n'))
        .answer;
    };
    const answers = await Promise.all(Array.from({ length: 200 }, ask));
    expect(new Set(answers.map((answer) => statusesIn(answer).join()))).toEqual(new Set(['503']));
    gateway.offers.reset();
    await eventually(async () => expect(await outcome()).toBe(200));
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 6));
  });
});
