import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { testClock } from '@offer-ads/testing/clock';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { estimateFastPath } from './estimate-fast-path.ts';

const lines: string[] = [];
const standing = testClock('2026-11-20T18:00:00.000Z');
let askedForTime = 0;
/** Called when a request has arrived, and when its caller is verified. */
const clock = {
  now: () => {
    askedForTime += 1;
    return standing.now();
  },
};
let server: HttpServer;

async function start(stallMs?: number): Promise<HttpServer> {
  const destination = { write: (line: string) => lines.push(line) };
  return startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'pricing', level: 'info', destination }),
    metrics: createMetrics('pricing'),
    clock,
    ...(stallMs !== undefined && { stallMs }),
    readiness: async () => [],
    routes: () => {},
    fastPath: estimateFastPath({
      contextSecret: testContextSecret,
      clock,
      audience: { count: async () => 1_649 },
      sandbox: { count: async () => 0 },
      privacyBudgets: { discloseCount: ({ counted }) => counted },
      minCohort: 1,
      rates: { exchangeRate: () => ({ perGbpE6: 1_326_310n, date: '2026-11-20' }) },
      interests: { active: () => new Set([1, 2, 3]) },
    }),
  });
}

beforeAll(async () => {
  server = await start();
});
beforeEach(() => {
  lines.length = 0;
  askedForTime = 0;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const form = {
  start_datetime: '2026-12-01T00:00:00Z',
  end_datetime: '2026-12-08T00:00:00Z',
  location: [51.5, -0.1],
  radius: 10,
};
const utf8 = (text: string) => new TextEncoder().encode(text);

async function ask(body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/offers/price-estimate`, {
    method: 'POST',
    headers: { ...signedCaller({ audience: 'pricing' }), 'content-type': 'application/json', ...headers },
    body,
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    id: response.headers.has('x-request-id'),
    body: await response.json(),
  };
}

const refused = {
  status: 400,
  body: { return_code: 'E1', message: expect.stringMatching(/^The body must/) },
};

describe('an estimate', () => {
  it.each([
    ['a complete form', utf8(JSON.stringify(form)), 200],
    ['a mark of the order of bytes', utf8(`\uFEFF${JSON.stringify(form)}`), 200],
    ['bytes that are no UTF-8, also in a field that nobody reads', withStrayByte(), 400],
    ['several faults', utf8(JSON.stringify({ ...form, radius: 4, interests: ['x'] })), 400],
    ['an unreadable date-time', utf8(JSON.stringify({ ...form, end_datetime: 'soon' })), 400],
    ['an unknown interest', utf8(JSON.stringify({ ...form, interests: [9] })), 400],
    ['the other mode', utf8(JSON.stringify({ ...form, environment: 'LIVE' })), 403],
    ['a list', utf8('[]'), 400],
    ['JSON that breaks off', utf8('{"radius": 1'), 400],
    ['two JSON texts', utf8('{} {}'), 400],
  ])('answers %s', async (_, body, status) => {
    const answer = await ask(body);
    expect(answer).toMatchObject({ status, id: true, type: 'application/json; charset=utf-8' });
    await eventually(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toContain(`"method":"POST","route":"/offers/price-estimate","status":${status}`);
  });

  it.each(['true', '5', '"text"', 'null'])('refuses %s, which is JSON but no object', async (json) => {
    expect(await ask(utf8(json))).toMatchObject(refused);
  });

  it('is refused without a valid caller context', async () => {
    const forged = signedCaller({ audience: 'pricing' }, 'another-secret-of-more-than-32-characters');
    expect(await ask(utf8(JSON.stringify(form)), forged)).toMatchObject({
      status: 401,
      body: { message: 'Unauthorised' },
    });
  });

  it.each<[string, Record<string, string>, Uint8Array<ArrayBuffer>]>([
    ['in an unknown coding', { 'content-encoding': 'zstd' }, utf8(JSON.stringify(form))],
    [
      'in another character set',
      { 'content-type': 'application/json; charset=utf-16' },
      utf8(JSON.stringify(form)),
    ],
    ['of another type', { 'content-type': 'text/plain' }, utf8(JSON.stringify(form))],
    ['a byte too long', {}, utf8(JSON.stringify(form).padEnd(65_537))],
  ])('refuses a body that is %s, and says what it must be', async (_, headers, body) => {
    expect(await ask(body, headers)).toMatchObject(refused);
  });

  it('takes a compressed body, one of the greatest length, and one without content-length', async () => {
    const gzipped = new Uint8Array(gzipSync(JSON.stringify(form)));
    expect(await ask(gzipped, { 'content-encoding': 'gzip' })).toMatchObject({ status: 200 });
    const longest = utf8(JSON.stringify(form).padEnd(65_536));
    expect(await ask(longest)).toMatchObject({ status: 200 });
    const stream = new Blob([utf8(JSON.stringify(form))]).stream();
    const response = await fetch(`${server.url}/offers/price-estimate?from=portal`, {
      method: 'POST',
      headers: {
        ...signedCaller({ audience: 'pricing' }),
        'content-type': 'Application/JSON; charset=UTF-8',
      },
      body: stream,
      duplex: 'half',
    });
    expect(response.status).toBe(200);
  });

  function withStrayByte(): Uint8Array<ArrayBuffer> {
    const bytes = utf8(JSON.stringify({ ...form, note: '*' }));
    bytes[bytes.lastIndexOf('*'.charCodeAt(0))] = 0xff;
    return bytes;
  }
});

describe('a body that arrives in pieces', () => {
  const token = signedCaller({ audience: 'pricing' })[callerContextHeader];
  const opening = (length: number) =>
    `POST /offers/price-estimate HTTP/1.1\r\nHost: pricing\r\nContent-Type: application/json\r\n` +
    `${callerContextHeader}: ${token}\r\nContent-Length: ${length}\r\n\r\n`;

  function send(port = server.port): { socket: Socket; received: () => string } {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => {});
    return { socket, received: () => text };
  }

  it('is joined, also where a character was split', async () => {
    const body = utf8(JSON.stringify({ note: 'é', ...form }));
    const split = body.indexOf(0xc3) + 1;
    const { socket, received } = send();
    socket.write(opening(body.length));
    socket.write(body.subarray(0, split));
    await eventually(() => expect(askedForTime).toBeGreaterThan(1));
    socket.write(body.subarray(split));
    await eventually(() => expect(received()).toContain('"return_code":"S1"'));
    socket.destroy();
  });

  it('is answered with 408 when it stalls', async () => {
    await using impatient = await start(1_000);
    const { socket, received } = send(impatient.port);
    socket.write(`${opening(500)}{"radius":`);
    await eventually(() => expect(received()).toContain('HTTP/1.1 408'));
    await eventually(() => expect(lines.join()).toContain('"status":408'));
    socket.destroy();
  });

  it('is logged with 499 and not as an error when it breaks off', async () => {
    const { socket } = send();
    socket.write(`${opening(500)}{"radius":`);
    await eventually(() => expect(askedForTime).toBeGreaterThan(1));
    socket.destroy();
    await eventually(() => expect(lines.join()).toContain('"status":499'));
    expect(lines.join()).not.toContain('"level":"error"');
  });
});
