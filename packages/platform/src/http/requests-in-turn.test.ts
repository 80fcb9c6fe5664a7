import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { inTurn } from './requests-in-turn.ts';

it('a request that was refused while it waited is not served, and those behind it are', () => {
  const socket = { destroyed: false };
  const served: string[] = [];
  const receive = inTurn((req) => void served.push(req.url ?? ''));
  const come = (url: string) => {
    const req = { url, socket } as unknown as IncomingMessage;
    const res = Object.assign(new EventEmitter(), { req, headersSent: false });
    receive(req, res as unknown as ServerResponse);
    return res;
  };
  const [first, refused] = [come('/first'), come('/refused'), come('/last')];
  refused.headersSent = true;
  first.emit('close');
  expect(served).toEqual(['/first']);
  refused.emit('close');
  expect(served).toEqual(['/first', '/last']);
});
