/** Clients that take their time, in numbers: they are cut off at the bounds of production, and keep nobody else waiting. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { type GatewayUnderTest, startGatewayUnderTest } from '../gateway-under-test.ts';
import { openSockets, type RawClient, sendRawUntil, statusesIn } from './raw-client.ts';

/** Headers may take 10 s and silence 15 s; connections are looked through every second. */
const cutOffMs = 20_000;
const crowd = 1_000;

let gateway: GatewayUnderTest;
let key: string;
/** An upload that stalls from the beginning: the tests wait for its end at the same time as for that of the others. */
let stalled: RawClient;
let serviceSawItBreak: Promise<void>;
beforeAll(async () => {
  gateway = await startGatewayUnderTest();
  ({ key } = await gateway.createKey(await gateway.register()));
  const broken = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  serviceSawItBreak = broken.promise;
  const { respond } = gateway.offers;
  gateway.offers.respond = (req) => {
    req.on('error', () => broken.resolve()).once('data', () => arrived.resolve());
  };
  const head = ['POST /offers HTTP/1.1', 'Host: a', `X-Api-Key: ${key}`, 'Content-Length: 100', '', 'half'];
  stalled = await sendRawUntil(arrived.promise, gateway.url, head.join('\r\n'));
  gateway.offers.respond = respond;
});
afterAll(async () => gateway[Symbol.asyncDispose]());

describe('a thousand connections that say nothing, and a hundred that say a header a second', () => {
  it('keep nobody waiting, and are gone when the time for headers is over', async () => {
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
    // Some at a time: what the kernel's queue has no place for comes again only after seconds, and then later still.
    while (silent.length < crowd) silent.push(...(await connected(Array.from({ length: 100 }, open))));
    const slow = await connected(Array.from({ length: 100 }, open));
    for (const socket of slow) socket.write('GET /categories HTTP/1.1\r\nHost: a\r\n');
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('X-More: and more\r\n');
    }, 1_000);
    try {
      await inTime(2_000, async () => expect((await gateway.call('/categories', { key })).status).toBe(200));
      const left = () => [...silent, ...slow].filter((socket) => !socket.destroyed).length;
      await eventually(() => expect(left()).toBe(0), { timeoutMs: cutOffMs });
    } finally {
      clearInterval(drip);
      for (const socket of [...silent, ...slow]) socket.destroy();
    }
    expect(new Set(answers.slice(crowd).map((answer) => statusesIn(answer).join()))).toEqual(
      new Set(['408']),
    );
    for (const answer of answers.slice(crowd)) expect(answer).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 6));
    expect((await gateway.call('/categories', { key })).status).toBe(200);
  }, 60_000);
});

async function connected(sockets: readonly Socket[]): Promise<readonly Socket[]> {
  await Promise.all(sockets.map(async (socket) => socket.connecting && once(socket, 'connect')));
  return sockets;
}

describe('an upload that stalls', () => {
  it('ends after 15 seconds without a byte with 408, told like every reply, and the service sees it break', async () => {
    const answer = await stalled.answer;
    const tookMs = performance.now() - stalled.sentAtMs;
    expect(tookMs).toBeGreaterThan(14_000);
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*\{"message":"Request timeout"\}$/s);
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'])
      expect(answer).toMatch(new RegExp(`^${name}: .+\r$`, 'im'));
    await serviceSawItBreak;
  });
});
