import { once } from 'node:events';
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
    expect(await post('{"a":12345')).toEqual([400, { message: 'Bad request' }]);
    expect(await post('{"a":1234}')).toEqual([200, { a: 1234 }]);
    expect(await post('{"a":12345}')).toEqual([413, { message: 'Payload too large' }]);
  });

  it('that cannot be parsed is refused, and the log does not quote it', async () => {
    const { logger, lines } = collectingLogger();
    await using server = await startTestServer(
      (app) => app.post('/', jsonBody({ maxBytes: 100 }), (_req, res) => void res.end()),
      { logger },
    );
    const response = await fetch(server.url, { method: 'POST', headers: json, body: 'pk_test_secret' });
    expect([response.status, await response.json()]).toEqual([400, { message: 'Bad request' }]);
    expect(lines.join()).toContain('the body is not JSON');
    expect(lines.join()).not.toContain('pk_');
  });
});
