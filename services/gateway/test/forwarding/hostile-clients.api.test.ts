/** Clients that send what no client should: refused or closed, nothing hidden inside reaches a service, the process lives. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { answerJson } from './fake-upstream.ts';
import { answerToRaw, openSockets, sendRaw, statusesIn } from './raw-client.ts';

let gateway: GatewayUnderTest;
let key: string;
let seen: string[];
let socketsBefore: number;

beforeAll(async () => {
  gateway = await startGatewayUnderTest();
  ({ key } = await gateway.createKey(await gateway.register()));
  // Connections that are kept open are open from now on.
  await gateway.call('/categories', { key });
  await gateway.call('/offers/price-estimate', { method: 'POST', key, body: '{}' });
});
afterAll(async () => gateway[Symbol.asyncDispose]());

beforeEach(() => {
  seen = [];
  for (const service of [gateway.offers, gateway.pricing]) {
    service.respond = answerJson(({ method, url, headers }) => {
      seen.push(`${method} ${url}${String(headers['x-evil'] ?? '')}`);
      return { status: 200, body: { return_code: 'S1' } };
    });
  }
  socketsBefore = openSockets();
});
afterEach(async () => {
  const { status } = await gateway.call('/categories', { key });
  if (status !== 200) throw new Error(`the gateway answers ${status} after that`);
  // Idle connections of this test's own fetch and of the gateway to its services: a handful, however many were attacked.
  await eventually(() => {
    if (openSockets() > socketsBefore + 6)
      throw new Error(`${openSockets()} sockets, ${socketsBefore} before`);
  });
});

const credentials = () => [`X-Api-Key: ${key}`, `X-Forwarded-For: ${unusedIp()}`];
function head(line: string, ...headers: string[]): string {
  return [line, 'Host: gateway', ...credentials(), ...headers, '', ''].join('\r\n');
}
const post = (...headers: string[]) =>
  head('POST /offers/price-estimate HTTP/1.1', 'Content-Type: application/json', ...headers);
const get = (...headers: string[]) => head('GET /categories HTTP/1.1', ...headers);
/** All that comes; sent again after a 503, which a busy machine may give and none of these requests may cause. */
const answerTo = (bytes: string): Promise<string> => answerToRaw(gateway.url, bytes);
/** What an attacker wants to be taken for a request of its own. */
const smuggled = () => head('GET /interests?smuggled HTTP/1.1', 'X-Evil: !');
const chunked = 'Transfer-Encoding: chunked';

describe('a request whose end is told in two ways', () => {
  it.each<[string, string[]]>([
    ['length and coding', ['Content-Length: 6', chunked]],
    ['coding and length', [chunked, 'Content-Length: 6']],
    ['a coding after chunked', ['Transfer-Encoding: chunked, identity']],
    ['no coding at all, said as one', ['Transfer-Encoding: identity']],
    ['a coding misspelt', ['Transfer-Encoding: xchunked']],
    ['a coding in quotes', ['Transfer-Encoding: "chunked"']],
    ['a coding behind a vertical tab', ['Transfer-Encoding: \x0bchunked']],
    ['two codings, the unknown one last', [chunked, 'Transfer-Encoding: cow']],
    ['two codings, the unknown one first', ['Transfer-Encoding: cow', chunked]],
    ['the coding twice', [chunked, chunked]],
    ['a compressed transfer', ['Transfer-Encoding: gzip, chunked']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
    ['a folded header', ['Transfer-Encoding:', ' chunked']],
    ['two lengths that differ', ['Content-Length: 5', 'Content-Length: 6']],
    ['two lengths that agree', ['Content-Length: 5', 'Content-Length: 5']],
    ['a list of lengths', ['Content-Length: 5, 5']],
    ['a length with a sign', ['Content-Length: +5']],
    ['a negative length', ['Content-Length: -5']],
    ['a hexadecimal length', ['Content-Length: 0x5']],
    ['no number for a length', ['Content-Length: ']],
    ['a length beyond every number', ['Content-Length: 18446744073709551617']],
    ['a header with NUL', ['X-Thing: a\0b', 'Content-Length: 5']],
    ['a header with a bare carriage return', ['X-Thing: a\rTransfer-Encoding: chunked', 'Content-Length: 5']],
    [
      'a header that ends in a bare line feed',
      ['X-Thing: a\nTransfer-Encoding: chunked', 'Content-Length: 5'],
    ],
  ])('is refused with all that follows: %s', async (_case, headers) => {
    const answer = await answerTo(`${post(...headers)}0\r\n\r\n${smuggled()}`);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toMatch(/^Connection: close/m);
    expect(answer).toMatch(/^X-Request-Id: [0-9a-f-]{36}/m);
    expect(seen).toEqual([]);
  });

  it('is refused when its lines end in bare line feeds, or when it speaks another version', async () => {
    for (const [bytes, status] of [
      [get().replaceAll('\r\n', '\n'), 400],
      [get().replace('HTTP/1.1', 'HTTP/1.2'), 400],
      [get().replace('HTTP/1.1', 'HTTP/2.0'), 505],
      [get().replace(' HTTP/1.1', ''), 505],
      [post(chunked).replace('HTTP/1.1', 'HTTP/1.0'), 400],
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ] as const) {
      const answer = await answerTo(bytes + smuggled());
      expect([bytes.slice(0, 40), statusesIn(answer)]).toEqual([bytes.slice(0, 40), [status]]);
    }
    expect(seen).toEqual([]);
  });

  it.each([
    ['a chunk longer than every number', '10000000000000005\r\nhello\r\n0\r\n\r\n'],
    ['junk behind a chunk length', '5 x\r\nhello\r\n0\r\n\r\n'],
    ['a chunk length with 0x', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk extension that ends in a bare line feed', '5;a\nhello\r\n0\r\n\r\n'],
    ['a chunk extension without end', `5;${'a'.repeat(40_000)}\r\nhello\r\n0\r\n\r\n`],
    ['a chunk longer than it says', '5\r\nhelloXX0\r\n\r\n'],
    ['100 KB of trailers', `5\r\nhello\r\n0\r\n${'X-Y: z\r\n'.repeat(12_500)}\r\n`],
  ])('is refused in the middle of its body: %s', async (_case, body) => {
    const answer = await answerTo(post(chunked) + body + smuggled());
    expect(statusesIn(answer)).toEqual([400]);
    expect(seen).toEqual([]);
  });
});

describe('a request that is not addressed as it should be', () => {
  it('with two hosts is refused', async () => {
    expect(statusesIn(await answerTo(get('Host: other')))).toEqual([400]);
    expect(seen).toEqual([]);
  });

  it('in absolute form is served by its path alone, which is all that the service sees', async () => {
    const line = 'GET http://internal.test/categories?a=b HTTP/1.1';
    const answer = await answerTo(head(line, 'Connection: close'));
    expect(statusesIn(answer)).toEqual([200]);
    expect(seen).toEqual(['GET /categories?a=b']);
  });

  it.each([
    ['an asterisk', head('OPTIONS * HTTP/1.1', 'Connection: close'), [404]],
    ['an absolute form of another scheme', head('GET file:///etc/passwd HTTP/1.1'), [400, 404]],
    ['no slash', head('GET categories HTTP/1.1'), [400]],
    ['NUL in the path', head('GET /categories\0 HTTP/1.1'), [400]],
  ])('is refused: %s', async (_case, bytes, statuses) => {
    const { answer, socket } = sendRaw(gateway.url, bytes);
    socket.once('data', () => socket.end());
    expect(statuses).toContain(statusesIn(await answer)[0]);
    expect(seen).toEqual([]);
  });

  it('CONNECT is closed, TRACE gives nothing back, an upgrade is ignored', async () => {
    expect(await answerTo(head('CONNECT internal.test:80 HTTP/1.1'))).toBe('');
    const trace = await answerTo(head('TRACE /categories HTTP/1.1', 'Connection: close'));
    expect(statusesIn(trace)).toEqual([404]);
    expect(trace).not.toContain(key);
    expect(seen).toEqual([]);
    for (const protocol of ['websocket', 'h2c']) {
      const answer = await answerTo(get('Connection: Upgrade, close', `Upgrade: ${protocol}`));
      expect(statusesIn(answer)).toEqual([200]);
    }
  });
});

describe('a request that is too much', () => {
  it.each([
    ['100 KB of headers', () => get(`X-Large: ${'x'.repeat(100_000)}`)],
    [
      '100 KB of small headers',
      () => get(...Array.from({ length: 5_000 }, (_, i) => `X-${i}: ${i}-padding`)),
    ],
    ['too many headers', () => get(...Array.from({ length: 150 }, (_, i) => `X${i}: y`))],
    ['a request line of 100 KB', () => head(`GET /categories?${'x'.repeat(100_000)} HTTP/1.1`)],
  ])('is refused with 431: %s', async (_case, bytes) => {
    const answer = await answerTo(bytes());
    expect(statusesIn(answer)).toEqual([431]);
    expect(answer).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
    expect(seen).toEqual([]);
  });

  it('of 1,000 such at once leaves the gateway serving and no socket behind', async () => {
    const flood = get(`X-Large: ${'x'.repeat(100_000)}`);
    const answers: Promise<string>[] = [];
    for (let sent = 0; sent < 1_000; sent += 1) answers.push(sendRaw(gateway.url, flood).answer);
    expect((await gateway.call('/categories', { key })).status).toBe(200);
    await Promise.all(answers);
  });
});

describe('requests behind one another on a connection', () => {
  it('behind a refused one count for themselves, in order', async () => {
    const refused = head('GET /nowhere HTTP/1.1');
    const answer = await answerTo(refused + get() + get('Connection: close'));
    expect(statusesIn(answer)).toEqual([404, 200, 200]);
    expect(seen).toEqual(['GET /categories', 'GET /categories']);
  });

  it('that are broken replace no reply and stand in the middle of none', async () => {
    const answer = await answerTo(`${get()}NONSENSE\r\n\r\n`);
    expect(statusesIn(answer)[0]).toBe(200);
    expect(answer).toContain('"return_code":"S1"');
  });

  it('that are the rest of a body longer than promised are no request', async () => {
    const answer = await answerTo(`${post('Content-Length: 2')}{}EXTRA ${smuggled()}`);
    expect(statusesIn(answer)[0]).toBe(200);
    expect(seen).toEqual(['POST /offers/price-estimate']);
  });

  it('inside the body of a GET stay a body, which no service gets', async () => {
    const body = smuggled();
    const bytes = get(`Content-Length: ${body.length}`, 'Connection: close') + body;
    expect(statusesIn(await answerTo(bytes))).toEqual([200]);
    expect(seen).toEqual(['GET /categories']);
  });
});

describe('HTTP/1.0', () => {
  it('is answered and closed', async () => {
    const answer = await answerTo(get().replace('HTTP/1.1', 'HTTP/1.0'));
    expect(statusesIn(answer)).toEqual([200]);
    expect(answer).not.toMatch(/^Transfer-Encoding/im);
    expect(seen).toEqual(['GET /categories']);
  });
});

describe('what a caller claims to be', () => {
  it.each([
    ['x-caller-context', 'made.up'],
    ['X-Caller-Context', 'made.up'],
    ['x-request-budget-ms', '999999'],
    ['x-commit-by', '9999999999999'],
    ['x-forwarded-for', '198.18.7.7'],
    ['x-forwarded-host', 'internal.test'],
    ['x-forwarded-proto', 'https'],
    ['x-real-ip', '10.0.0.1'],
    ['forwarded', 'for=10.0.0.1'],
    ['authorization', 'Bearer made-up'],
    ['proxy-authorization', 'Basic bWFkZTp1cA=='],
    ['cookie', 'session=made-up'],
    ['te', 'trailers'],
    ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['x-evil', 'made-up'],
  ])('never reaches a service: %s', async (name, value) => {
    const got: Record<string, unknown>[] = [];
    gateway.offers.respond = answerJson(({ headers }) => {
      got.push(headers);
      return { status: 200, body: {} };
    });
    await answerTo(get(`${name}: ${value}`, 'Connection: close'));
    expect(got).toHaveLength(1);
    expect(got[0]?.[name.toLowerCase()]).not.toBe(value);
    expect(JSON.stringify(got[0])).not.toContain(key);
  });

  it('cannot take away what the gateway sends, by naming it as of the connection only', async () => {
    const got: Record<string, unknown>[] = [];
    gateway.offers.respond = answerJson(({ headers }) => {
      got.push(headers);
      return { status: 200, body: {} };
    });
    const listed =
      'Connection: close, X-Caller-Context, X-Request-Budget-Ms, X-Request-Id, X-Api-Key, X-Forwarded-For';
    const answer = await answerTo(get(listed));
    expect(statusesIn(answer)).toEqual([200]);
    expect(got[0]).toMatchObject({
      'x-caller-context': expect.stringContaining('.'),
      'x-request-budget-ms': '2000',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('as a request id is taken when it is well-formed, and replaced when it is not', async () => {
    const ids: unknown[] = [];
    gateway.offers.respond = answerJson(({ headers }) => {
      ids.push(headers['x-request-id']);
      return { status: 200, body: {} };
    });
    const ask = (id: string) => gateway.call('/categories', { key, headers: { 'x-request-id': id } });
    expect((await ask('order-12345.a_b')).headers.get('x-request-id')).toBe('order-12345.a_b');
    const made = (await ask('<script>alert(1)</script>')).headers.get('x-request-id');
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids).toEqual(['order-12345.a_b', made]);
    const twice = await answerTo(
      get('X-Request-Id: first-12345', 'X-Request-Id: second-12345', 'Connection: close'),
    );
    expect(twice).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
  });

  it('by two keys is nobody', async () => {
    const answer = await answerTo(get(`X-Api-Key: ${key}`, 'Connection: close'));
    expect(statusesIn(answer)).toEqual([401]);
  });
});

describe('a client that never reads its reply', () => {
  it('costs no memory: the service is not read faster than the client, and is let go when the client goes', async () => {
    const whole = 200_000_000;
    let written = 0;
    // Looked up just now: who reads nothing would not see the 503 that a busy machine may give.
    await gateway.call('/categories', { key });
    const ended = Promise.withResolvers<void>();
    gateway.offers.respond = (_req, res) => {
      res.once('close', () => ended.resolve());
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (written < whole && !res.destroyed) {
          written += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', more);
        }
        res.end();
      };
      more();
    };
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    await once(socket, 'connect');
    socket.pause();
    socket.write(get());
    let before = -1;
    await eventually(() => {
      const stood = written > 0 && written === before;
      before = written;
      expect(stood).toBe(true);
    });
    // What fits into the kernel's buffers of two connections, and no more.
    expect(written).toBeLessThan(whole / 4);
    socket.destroy();
    await ended.promise;
    gateway.offers.respond = answerJson(() => ({ status: 200, body: {} }));
  });
});
