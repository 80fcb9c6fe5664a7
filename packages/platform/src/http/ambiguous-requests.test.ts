import { describe, expect, it } from '@jest/globals';
import { startTestServer } from '@offer-ads/testing/http-server';
import { sendRaw, statusLinesIn } from '../../test/raw-http.ts';

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
const post = (...lines: string[]) => ['POST / HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n');

describe('a request that two servers could read differently', () => {
  it.each([
    ['an unknown coding before chunked', post('Transfer-Encoding: cow', 'Transfer-Encoding: chunked'), 400],
    ['a compressed transfer', post('Transfer-Encoding: gzip, chunked'), 400],
    ['a coding in HTTP/1.0', post('Transfer-Encoding: chunked').replace('1.1', '1.0'), 400],
    ['several hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a space in the host', 'GET / HTTP/1.1\r\nHost: x y\r\n\r\n', 400],
    ['a user in the host', 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n', 400],
    ['a port that is no number', 'GET / HTTP/1.1\r\nHost: a:b\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505],
    ['no version', 'GET /\r\n\r\n', 505],
  ])('is refused with all that follows: %s', async (_case, bytes, status) => {
    const served: string[] = [];
    await using server = await startTestServer((app) => void app.use((req) => void served.push(req.url)));
    const reply = await sendRaw(server, `${bytes}0\r\n\r\n${smuggled}`).reply;
    expect(statusLinesIn(reply)).toEqual([`HTTP/1.1 ${status}`]);
    expect(reply).toMatch(/^X-Request-Id: /m);
    expect(reply).toMatch(/\r\n\r\n\{"message":"[^"]+"\}$/);
    expect(served).toEqual([]);
  });
});

it.each(['a', 'A.test:8080', '127.0.0.1:80', '[::1]:443', 'a_b.test', 'xn--bcher-kva.example', ''])(
  'a request for the host "%s" is served, and one of HTTP/1.0 without a host',
  async (host) => {
    await using server = await startTestServer((app) => void app.use((_req, res) => void res.end()));
    for (const head of [`GET / HTTP/1.1\r\nConnection: close\r\nHost: ${host}`, 'GET / HTTP/1.0'])
      expect(statusLinesIn(await sendRaw(server, `${head}\r\n\r\n`).reply)).toEqual(['HTTP/1.1 200']);
  },
);

it.each([
  ['GET http://elsewhere.test/things?a=b HTTP/1.1', '/things?a=b'],
  ['GET HTTPS://elsewhere.test?a=b HTTP/1.1', '/?a=b'],
  ['GET //things HTTP/1.1', '//things'],
])('a request with a server’s address before its path is served by the path: %s', async (line, url) => {
  await using server = await startTestServer((app) => void app.use((req, res) => void res.end(req.url)));
  const { reply } = sendRaw(server, `${line}\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect((await reply).endsWith(`\r\n\r\n${url}`)).toBe(true);
});
