/** Requests that a client sends over one connection without waiting for replies. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { startTestServer } from '@offer-ads/testing/http-server';
import { sendRaw } from '../../test/raw-http.ts';
import { onePerConnection } from './pipelining.ts';

/** Requests that never end by themselves. */
function receiving() {
  const served: string[] = [];
  const receive = onePerConnection((req) => void served.push(req.url ?? ''));
  const connection = () => {
    const socket = { destroyed: false, destroy: () => void (socket.destroyed = true) };
    const send = (url: string) => {
      const req = { url, socket } as unknown as IncomingMessage;
      const res = Object.assign(new EventEmitter(), { req, headersSent: false });
      receive(req, res as unknown as ServerResponse);
      return res;
    };
    const sendMany = (count: number) => Array.from({ length: count }, (_, n) => send(`/${n}`));
    return { socket, send, sendMany };
  };
  return { served, connection };
}

describe('requests over one connection', () => {
  it('are served one after the other and answered in order', async () => {
    let inProgress = 0;
    let most = 0;
    await using server = await startTestServer((app) =>
      app.get('/:n', async (req, res) => {
        most = Math.max(most, (inProgress += 1));
        await new Promise((resolve) => setImmediate(resolve));
        inProgress -= 1;
        res.end(`reply ${req.params.n};`);
      }),
    );
    const numbers = Array.from({ length: 50 }, (_, n) => `${n}`);
    const requests = numbers.map((n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
    const last = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const replies = (await sendRaw(server, requests + last).reply).matchAll(/reply (\w+);/g);
    expect([...replies].map(([, n]) => n)).toEqual([...numbers, 'last']);
    expect(most).toBe(1);
  });

  it('are not served if they were refused while they waited', () => {
    const { served, connection } = receiving();
    const { send } = connection();
    const [first, refused] = [send('/first'), send('/refused'), send('/last')];
    refused.headersSent = true;
    first.emit('close');
    expect(served).toEqual(['/first']);
    refused.emit('close');
    expect(served).toEqual(['/first', '/last']);
  });

  it('are cut off when more than 100 wait', () => {
    const { served, connection } = receiving();
    const { socket, sendMany } = connection();
    sendMany(101);
    expect(socket.destroyed).toBe(false);
    sendMany(1);
    expect(socket.destroyed).toBe(true);
    expect(served).toEqual(['/0']);
  });

  it('are cut off when more than 2,000 wait over all connections, until the others have gone', () => {
    const { connection } = receiving();
    const others = Array.from({ length: 20 }, connection);
    const firsts = others.map(({ sendMany }) => sendMany(101)[0]);
    const tooMany = connection();
    tooMany.sendMany(2);
    expect(tooMany.socket.destroyed).toBe(true);
    for (const [n, { socket }] of others.entries()) {
      socket.destroy();
      firsts[n]?.emit('close');
    }
    const next = connection();
    next.sendMany(101);
    expect(next.socket.destroyed).toBe(false);
  });
});
