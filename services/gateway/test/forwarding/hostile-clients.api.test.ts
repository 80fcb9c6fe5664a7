/** Clients that send what no client should: they are refused or cut off, and no hidden request reaches a service. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { answerToRaw, openSockets, sendRaw, statusesIn } from './raw-client.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let key: string;
let socketsBefore: number;

beforeAll(async () => {
  ({ key } = await gateway.createKey(await gateway.register()));
  // Opens the connections to the services that the gateway keeps.
  await gateway.call('/categories', { key });
  await gateway.call('/offers/price-estimate', { method: 'POST', key, body: '{}' });
});

beforeEach(() => {
  gateway.resetUpstreams();
  socketsBefore = openSockets();
});
afterEach(async () => {
  const { status } = await gateway.call('/categories', { key });
  if (status !== 200) throw new Error(`the gateway answers ${status} after that`);
  // Of this test's own fetch, and of the gateway to its services, a few idle connections stay.
  await eventually(() => {
    if (openSockets() > socketsBefore + 6)
      throw new Error(`${openSockets()} sockets, ${socketsBefore} before`);
  });
});

/** The requests that reached a service. */
const forwarded = () =>
  [...gateway.offers.seen, ...gateway.pricing.seen].map(({ method, url }) => `${method} ${url}`);
const credentials = () => [`X-Api-Key: ${key}`, `X-Forwarded-For: ${unusedIp()}`];
function head(line: string, ...headers: string[]): string {
  return [line, 'Host: gateway', ...credentials(), ...headers, '', ''].join('\r\n');
}
const post = (...headers: string[]) =>
  head('POST /offers/price-estimate HTTP/1.1', 'Content-Type: application/json', ...headers);
const get = (...headers: string[]) => head('GET /categories HTTP/1.1', ...headers);
/** Everything that the gateway sends back. Repeated after a 503, which only a busy machine gives here. */
const answerTo = (bytes: string): Promise<string> => answerToRaw(gateway.url, bytes);
/** What an attacker wants the gateway to take for a separate request. */
const smuggled = () => head('GET /interests?smuggled HTTP/1.1');
const chunked = 'Transfer-Encoding: chunked';

describe('a request whose length two servers could read differently', () => {
  it.each<[string, string[]]>([
    ['length and coding', ['Content-Length: 6', chunked]],
    ['coding and length', [chunked, 'Content-Length: 6']],
    ['a coding after chunked', ['Transfer-Encoding: chunked, identity']],
    ['the coding identity', ['Transfer-Encoding: identity']],
    ['a misspelt coding', ['Transfer-Encoding: xchunked']],
    ['a coding in quotes', ['Transfer-Encoding: "chunked"']],
    ['a coding behind a vertical tab', ['Transfer-Encoding: \x0bchunked']],
    ['two codings, the unknown one last', [chunked, 'Transfer-Encoding: cow']],
    ['two codings, the unknown one first', ['Transfer-Encoding: cow', chunked]],
    ['the coding twice', [chunked, chunked]],
    ['a compressed transfer', ['Transfer-Encoding: gzip, chunked']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
    ['a folded header', ['Transfer-Encoding:', ' chunked']],
    ['two different lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['the same length twice', ['Content-Length: 5', 'Content-Length: 5']],
    ['a list of lengths', ['Content-Length: 5, 5']],
    ['a length with a sign', ['Content-Length: +5']],
    ['a negative length', ['Content-Length: -5']],
    ['a hexadecimal length', ['Content-Length: 0x5']],
    ['an empty length', ['Content-Length: ']],
    ['a length above 64 bits', ['Content-Length: 18446744073709551617']],
    ['a header with NUL', ['X-Thing: a\0b', 'Content-Length: 5']],
    ['a header with a bare carriage return', ['X-Thing: a\rTransfer-Encoding: chunked', 'Content-Length: 5']],
    ['a header with a bare line feed', ['X-Thing: a\nTransfer-Encoding: chunked', 'Content-Length: 5']],
  ])('is refused together with everything behind it: %s', async (_case, headers) => {
    const answer = await answerTo(`${post(...headers)}0\r\n\r\n${smuggled()}`);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toMatch(/^Connection: close/m);
    expect(answer).toMatch(/^X-Request-Id: [0-9a-f-]{36}/m);
    expect(forwarded()).toEqual([]);
  });

  it('is refused if its lines end in bare line feeds, or if it names another version', async () => {
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
    expect(forwarded()).toEqual([]);
  });

  it.each([
    ['a chunk length above 64 bits', '10000000000000005\r\nhello\r\n0\r\n\r\n'],
    ['junk behind a chunk length', '5 x\r\nhello\r\n0\r\n\r\n'],
    ['a chunk length with 0x', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk extension that ends in a bare line feed', '5;a\nhello\r\n0\r\n\r\n'],
    ['a chunk extension without end', `5;${'a'.repeat(40_000)}\r\nhello\r\n0\r\n\r\n`],
    ['a chunk longer than it says', '5\r\nhelloXX0\r\n\r\n'],
    ['100 KB of trailers', `5\r\nhello\r\n0\r\n${'X-Y: z\r\n'.repeat(12_500)}\r\n`],
  ])('is refused in the middle of its body: %s', async (_case, body) => {
    const answer = await answerTo(post(chunked) + body + smuggled());
    expect(statusesIn(answer)).toEqual([400]);
    expect(forwarded()).toEqual([]);
  });
});

describe('a request with an unusual target', () => {
  it('in absolute form is served by its path; the service sees only the path', async () => {
    const line = 'GET http://internal.test/categories?a=b HTTP/1.1';
    const answer = await answerTo(head(line, 'Connection: close'));
    expect(statusesIn(answer)).toEqual([200]);
    expect(forwarded()).toEqual(['GET /categories?a=b']);
  });

  it.each([
    ['two hosts', get('Host: other'), [400]],
    ['an asterisk', head('OPTIONS * HTTP/1.1', 'Connection: close'), [404]],
    ['an absolute form of another scheme', head('GET file:///etc/passwd HTTP/1.1'), [400, 404]],
    ['no slash', head('GET categories HTTP/1.1'), [400]],
    ['NUL in the path', head('GET /categories\0 HTTP/1.1'), [400]],
  ])('is refused: %s', async (_case, bytes, statuses) => {
    const { answer, socket } = sendRaw(gateway.url, bytes);
    socket.once('data', () => socket.end());
    expect(statuses).toContain(statusesIn(await answer)[0]);
    expect(forwarded()).toEqual([]);
  });

  it('by CONNECT is cut off, by TRACE shows nothing of the request, and is not upgraded', async () => {
    expect(await answerTo(head('CONNECT internal.test:80 HTTP/1.1'))).toBe('');
    const trace = await answerTo(head('TRACE /categories HTTP/1.1', 'Connection: close'));
    expect(statusesIn(trace)).toEqual([405]);
    expect(trace).not.toContain(key);
    expect(forwarded()).toEqual([]);
    for (const protocol of ['websocket', 'h2c']) {
      const answer = await answerTo(get('Connection: Upgrade, close', `Upgrade: ${protocol}`));
      expect(statusesIn(answer)).toEqual([200]);
    }
  });
});

describe('a request with a too large head', () => {
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
    expect(forwarded()).toEqual([]);
  });

  it('sent by hundreds of clients at once neither stops the gateway nor leaves a socket open', async () => {
    const flood = get(`X-Large: ${'x'.repeat(100_000)}`);
    const answers: Promise<string>[] = [];
    for (let sent = 0; sent < runs(300, 1_000); sent += 1) answers.push(sendRaw(gateway.url, flood).answer);
    expect((await gateway.call('/categories', { key })).status).toBe(200);
    await Promise.all(answers);
  });
});

describe('several requests on one connection', () => {
  it('are answered in order, also behind a refused one', async () => {
    const refused = head('GET /nowhere HTTP/1.1');
    const answer = await answerTo(refused + get() + get('Connection: close'));
    expect(statusesIn(answer)).toEqual([404, 200, 200]);
    expect(forwarded()).toEqual(['GET /categories', 'GET /categories']);
  });

  it('keep their replies whole if a broken one follows', async () => {
    const answer = await answerTo(`${get()}NONSENSE\r\n\r\n`);
    expect(statusesIn(answer)[0]).toBe(200);
    expect(answer).toContain('"return_code":"S1"');
  });

  it('are not found in the rest of a body that is longer than its length', async () => {
    const answer = await answerTo(`${post('Content-Length: 2')}{}EXTRA ${smuggled()}`);
    expect(statusesIn(answer)[0]).toBe(200);
    expect(forwarded()).toEqual(['POST /offers/price-estimate']);
  });

  it('are not found in the body of a GET, which no service gets', async () => {
    const body = smuggled();
    const bytes = get(`Content-Length: ${body.length}`, 'Connection: close') + body;
    expect(statusesIn(await answerTo(bytes))).toEqual([200]);
    expect(forwarded()).toEqual(['GET /categories']);
  });
});

describe('HTTP/1.0', () => {
  it('is answered and closed', async () => {
    const answer = await answerTo(get().replace('HTTP/1.1', 'HTTP/1.0'));
    expect(statusesIn(answer)).toEqual([200]);
    expect(answer).not.toMatch(/^Transfer-Encoding/im);
    expect(forwarded()).toEqual(['GET /categories']);
  });
});

describe('what a caller claims to be', () => {
  const claims = {
    'X-Caller-Context': 'made.up',
    'x-request-budget-ms': '999999',
    'x-forwarded-for': '198.18.7.7',
    'x-forwarded-host': 'internal.test',
    'x-forwarded-proto': 'https',
    'x-real-ip': '10.0.0.1',
    forwarded: 'for=10.0.0.1',
    authorization: 'Bearer made-up',
    'proxy-authorization': 'Basic bWFkZTp1cA==',
    cookie: 'session=made-up',
    te: 'trailers',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'x-evil': 'made-up',
  };

  it('never reaches a service, nor does the key', async () => {
    const lines = Object.entries(claims).map(([name, value]) => `${name}: ${value}`);
    expect(statusesIn(await answerTo(get(...lines, 'Connection: close')))).toEqual([200]);
    const headers = gateway.offers.seen[0]?.headers ?? {};
    const arrived = Object.entries(claims).filter(([name, value]) => headers[name.toLowerCase()] === value);
    expect(arrived).toEqual([]);
    expect(JSON.stringify(headers)).not.toContain(key);
  });

  it('cannot remove headers of the gateway by naming them in Connection', async () => {
    const listed =
      'Connection: close, X-Caller-Context, X-Request-Budget-Ms, X-Request-Id, X-Api-Key, X-Forwarded-For';
    expect(statusesIn(await answerTo(get(listed)))).toEqual([200]);
    expect(gateway.offers.seen[0]?.headers).toMatchObject({
      'x-caller-context': expect.stringContaining('.'),
      'x-request-budget-ms': '2000',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('is used as the request id only if it is one well-formed id', async () => {
    const ask = async (id: string) => {
      const { headers } = await gateway.call('/categories', { key, headers: { 'x-request-id': id } });
      expect(gateway.offers.seen.at(-1)?.headers['x-request-id']).toBe(headers.get('x-request-id'));
      return headers.get('x-request-id');
    };
    expect(await ask('order-12345.a_b')).toBe('order-12345.a_b');
    expect(await ask('<script>alert(1)</script>')).toMatch(/^[0-9a-f-]{36}$/);
    const two = ['X-Request-Id: first-12345', 'X-Request-Id: second-12345', 'Connection: close'];
    expect(await answerTo(get(...two))).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
  });

  it('by two keys is unauthorised', async () => {
    const answer = await answerTo(get(`X-Api-Key: ${key}`, 'Connection: close'));
    expect(statusesIn(answer)).toEqual([401]);
  });
});

describe('a client that never reads its reply', () => {
  it('costs no memory: the gateway reads no faster from the service, and disconnects from it with the client', async () => {
    const whole = 200_000_000;
    let written = 0;
    // Caches the look-up of the key, because this client would not see the 503 that a busy machine may give.
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
    const { socket } = sendRaw(gateway.url, get());
    socket.pause();
    let before = -1;
    await eventually(() => {
      const stands = written > 0 && written === before;
      before = written;
      expect(stands).toBe(true);
    });
    // About what the kernel's buffers of two connections hold.
    expect(written).toBeLessThan(whole / 4);
    socket.destroy();
    await ended.promise;
    gateway.offers.reset();
  });
});
