/** Many clients that take their time: they are cut off, and keep nobody else waiting. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { startGatewayUnderTest } from '../gateway-under-test.ts';
import { openSockets, type RawClient, sendRawUntil, statusesIn } from './raw-client.ts';

/** The long profile has the limits of production: headers within 10 s, an upload within 60 s and without a pause of 15 s. */
const uploads = { uploadMs: runs(3_000, 60_000), stallMs: runs(2_500, 15_000) };
const headersMs = Math.min(10_000, uploads.uploadMs);
const crowd = 1_000;

const gateway = forAllTests(() => startGatewayUnderTest({ overrides: { uploads } }));
let key: string;
/** Starts before all tests, so that its time runs during theirs. */
let stalled: RawClient;
const brokenAtService = Promise.withResolvers<void>();
beforeAll(async () => {
  ({ key } = await gateway.createKey(await gateway.register()));
  const arrived = Promise.withResolvers<void>();
  gateway.offers.respond = (req) => {
    req.on('error', () => brokenAtService.resolve()).once('data', () => arrived.resolve());
  };
  const head = ['POST /offers HTTP/1.1', 'Host: a', `X-Api-Key: ${key}`, 'Content-Length: 99999', '', 'half'];
  stalled = await sendRawUntil(arrived.promise, gateway.url, head.join('\r\n'));
  gateway.offers.reset();
});

describe('a thousand silent connections, and a hundred that send a header a second', () => {
  it('keep nobody waiting, and are cut off when the time for headers is over', async () => {
    expect((await gateway.call('/categories', { key })).status).toBe(200);
    const before = openSockets();
    const { hostname, port } = new URL(gateway.url);
    const answers: string[] = [];
    const open = (): Socket => {
      const index = answers.push('') - 1;
      const socket = connect(Number(port), hostname).setEncoding('latin1');
      socket.on('error', () => {}).on('data', (chunk: string) => (answers[index] += chunk));
      return socket;
    };
    const silent: Socket[] = [];
    // A hundred at a time: the kernel tries a connection that finds its queue full again only after seconds.
    while (silent.length < crowd) silent.push(...(await connected(Array.from({ length: 100 }, open))));
    const slow = await connected(Array.from({ length: 100 }, open));
    for (const socket of slow) socket.write('GET /categories HTTP/1.1\r\nHost: a\r\n');
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('X-More: and more\r\n');
    }, 1_000);
    try {
      await inTime(2_000, async () => expect((await gateway.call('/categories', { key })).status).toBe(200));
      const left = () => [...silent, ...slow].filter((socket) => !socket.destroyed).length;
      await eventually(() => expect(left()).toBe(0), { timeoutMs: headersMs + 10_000 });
    } finally {
      clearInterval(drip);
      for (const socket of [...silent, ...slow]) socket.destroy();
    }
    for (const answer of answers.slice(crowd)) {
      expect(statusesIn(answer)).toEqual([408]);
      expect(answer).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
    }
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 6));
    expect((await gateway.call('/categories', { key })).status).toBe(200);
  }, 60_000);
});

async function connected(sockets: readonly Socket[]): Promise<readonly Socket[]> {
  await Promise.all(sockets.map(async (socket) => socket.connecting && once(socket, 'connect')));
  return sockets;
}

describe('an upload that stalls', () => {
  it('ends with a 408 that has the headers of every reply, and the service sees it break', async () => {
    const answer = await stalled.answer;
    expect(performance.now() - stalled.sentAtMs).toBeGreaterThan(0.9 * uploads.stallMs);
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*\{"message":"Request timeout"\}$/s);
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'])
      expect(answer).toMatch(new RegExp(`^${name}: .+\r$`, 'im'));
    await brokenAtService.promise;
  });
});
