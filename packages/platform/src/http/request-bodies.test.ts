import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { startTestServer } from '@offer-ads/testing/http-server';
import { collectingLogger } from '@offer-ads/testing/logger';
import type { Express } from 'express';
import { sendRaw, statusLinesIn } from '../../test/raw-http.ts';
import { jsonBody, rawBody } from './request-bodies.ts';
import type { HttpServer } from './server.ts';

const whole = 64 * 1024 * 1024;
const json = { 'content-type': 'application/json' };
const echo = (app: Express) => {
  app.post('/json', jsonBody({ maxBytes: 10 }), (req, res) => void res.json(req.body));
  app.post('/raw', rawBody({ maxBytes: 10, type: 'text/plain' }), (req, res) => void res.send(req.body));
};

const readAll = (app: Express) => {
  // Twice, as under an outer router that reads it too.
  app.use(jsonBody({ maxBytes: 200 }));
  app.post('/', jsonBody({ maxBytes: 200 }), (req, res) => void res.json(req.body));
};

/** Sends so many bytes as fast as they are taken. */
async function upload(server: HttpServer, head: string, bytes: number) {
  const { socket, reply } = sendRaw(server, head);
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let left = bytes;
  while (left > 0 && !socket.destroyed) {
    left -= chunk.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), reply]);
  }
  return { socket, reply, taken: bytes - left };
}

describe('a body that no code reads', () => {
  it.each([
    ['a body for an unknown route', '/nowhere', 'application/json', '404 Not Found'],
    ['JSON longer than its route accepts', '/json', 'application/json', '413 Payload Too Large'],
    ['bytes more than their route accepts', '/raw', 'text/plain', '413 Payload Too Large'],
  ])('is cut off soon after the reply: %s', async (_case, path, type, status) => {
    await using server = await startTestServer(echo);
    const lengths = [`Content-Length: ${whole}\r\n\r\n`, 'Transfer-Encoding: chunked\r\n\r\n4000000\r\n'];
    const isCutOff = async (length: string) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${length}`;
      const { reply, taken } = await upload(server, head, whole);
      expect(await reply).toContain(status);
      // What was read and discarded, and what fits into the kernel's buffers.
      expect(taken).toBeLessThan(whole / 2);
    };
    await Promise.all(lengths.map(isCutOff));
  });

  it('is discarded if it is as long as a picture: the sender reads the reply, and the connection stays open', async () => {
    await using server = await startTestServer(() => {});
    const bytes = 6 * 1024 * 1024;
    const head = `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;
    const { socket, reply } = await upload(server, head, bytes);
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(statusLinesIn(await reply)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  });
});

describe('a JSON body', () => {
  it.each([
    ['in one piece', false],
    ['in chunks', true],
  ])('is read up to its limit and no further: %s', async (_case, chunked) => {
    await using server = await startTestServer(echo);
    const post = async (text: string) => {
      const body = chunked ? new Blob([text]).stream() : text;
      const init = { method: 'POST', headers: json, body, ...(chunked && { duplex: 'half' }) };
      const response = await fetch(`${server.url}/json`, init as RequestInit);
      return [response.status, await response.json()];
    };
    expect(await post('{"a":12345')).toEqual([400, { message: expect.stringContaining('valid JSON') }]);
    expect(await post('{"a":1234}')).toEqual([200, { a: 1234 }]);
    expect(await post('{"a":12345}')).toEqual([413, { message: 'The body must have at most 10 bytes' }]);
  });

  it('that cannot be parsed is refused, and the log does not quote it', async () => {
    const { logger, lines } = collectingLogger();
    await using server = await startTestServer(
      (app) => app.post('/', jsonBody({ maxBytes: 100 }), (_req, res) => void res.end()),
      { logger },
    );
    const response = await fetch(server.url, { method: 'POST', headers: json, body: 'pk_test_secret' });
    expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining('pk_')]);
    expect(lines.join()).toContain('body refused');
    expect(lines.join()).not.toContain('pk_');
  });

  const text = '{"a":"é"}';
  it.each([
    ['no charset', 'application/json', text],
    ['UTF-8 as it is often misspelt', 'application/json; charset=utf8', text],
    ['UTF-8 in quotes, beside something else', 'Application/JSON; odata=none; CHARSET="UTF-8"', text],
    ['a mark of the order of bytes', 'application/json', `\uFEFF${text}`],
    ['a whole surrogate pair as escapes', 'application/json', String.raw`{"a":"\ud83d\ude00"}`],
  ])('is read with %s', async (_case, type, body) => {
    await using server = await startTestServer(readAll);
    const response = await fetch(server.url, { method: 'POST', headers: { 'content-type': type }, body });
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringMatching(/^\{"a":"(é|😀)"\}$/),
    ]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is read compressed with %s, within its limit', async (coding, compress) => {
    await using server = await startTestServer(readAll);
    const post = async (body: Buffer<ArrayBuffer>) => {
      const headers = { ...json, 'content-encoding': coding };
      const response = await fetch(server.url, { method: 'POST', headers, body });
      return [response.status, await response.json()];
    };
    expect(await post(Buffer.from(compress(text)))).toEqual([200, { a: 'é' }]);
    const tooLong = Buffer.from(compress(JSON.stringify({ a: 'x'.repeat(100_000) })));
    expect(tooLong.length).toBeLessThan(200);
    expect(await post(tooLong)).toEqual([413, { message: 'The body must have at most 200 bytes' }]);
    expect(await post(Buffer.from(text))).toEqual([400, { message: expect.stringContaining(coding) }]);
  });

  it.each<[string, number, RegExp, string | Buffer<ArrayBuffer>, Record<string, string>?]>([
    ['in another charset', 415, /UTF-8/, text, { 'content-type': 'application/json; charset=windows-1252' }],
    ['of another type', 415, /application\/json/, text, { 'content-type': 'text/plain' }],
    ['without a type', 415, /application\/json/, Buffer.from(text), { 'content-type': '' }],
    ['in an unknown coding', 415, /gzip, deflate or br/, text, { 'content-encoding': 'zstd' }],
    ['in two codings', 415, /gzip, deflate or br/, text, { 'content-encoding': 'gzip, br' }],
    ['with a byte of another charset', 400, /0xE4 at position 7/, Buffer.from('{"a":"K\xe4se"}', 'latin1')],
    ['with half of a surrogate pair', 400, /a has half/, String.raw`{"b":1,"a":"x\ud800"}`],
    ['with half of a pair in a name', 400, /has half/, String.raw`{"\udfff":1}`],
    ['with a number alone', 400, /JSON object/, '5'],
    ['with null', 400, /JSON object/, 'null'],
    ['with a list', 400, /JSON object/, '[]'],
  ])('is refused, with its fault: %s', async (_case, status, message, body, headers = {}) => {
    await using server = await startTestServer(readAll);
    const response = await fetch(server.url, { method: 'POST', headers: { ...json, ...headers }, body });
    expect([response.status, await response.json()]).toEqual([
      status,
      { message: expect.stringMatching(message) },
    ]);
  });
});
