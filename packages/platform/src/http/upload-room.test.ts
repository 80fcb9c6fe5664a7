import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { uploadRoom } from './upload-room.ts';

function uploads(maxBytes: number) {
  const room = uploadRoom({ maxBytes, largestBytes: 5, senderOf: (req) => Number(req.headers.from) });
  return (sender: number, contentLength?: number) => {
    const res = new EventEmitter() as unknown as Response;
    const headers = {
      from: `${sender}`,
      ...(contentLength !== undefined && { 'content-length': String(contentLength) }),
    };
    let outcome: unknown = 'accepted';
    room({ headers } as unknown as Request, res, (refusal?: unknown) => {
      outcome = refusal ?? outcome;
    });
    return { outcome, end: () => res.emit('close') };
  };
}

const inTwoSeconds = { retryAfterSeconds: 2 };

describe('the memory for uploads', () => {
  it('accepts uploads that fit, refuses the next with 503, and has room again after a reply', () => {
    const upload = uploads(10);
    const [first, second, third] = [upload(1, 4), upload(2, 5), upload(3, 2)];
    expect([first?.outcome, second?.outcome]).toEqual(['accepted', 'accepted']);
    expect(third?.outcome).toMatchObject({ status: 503, ...inTwoSeconds });
    first?.end();
    expect(upload(3, 2).outcome).toBe('accepted');
  });

  it('counts an upload as the largest if it declares no length or too long a length', () => {
    const upload = uploads(10);
    expect(upload(1).outcome).toBe('accepted');
    expect(upload(2, 1_000_000).outcome).toBe('accepted');
    expect(upload(3, 1).outcome).toMatchObject({ status: 503 });
  });

  it('is not changed when a refused upload ends', () => {
    const upload = uploads(10);
    const held = [upload(1, 5), upload(2, 5)];
    upload(3, 1).end();
    expect(upload(3, 1).outcome).toMatchObject({ status: 503 });
    for (const one of held) one.end();
  });

  it('gives one organisation no more than is left for all others', () => {
    const upload = uploads(40);
    const held = Array.from({ length: 4 }, () => upload(1, 5));
    expect(held.map(({ outcome }) => outcome)).toEqual(Array(4).fill('accepted'));
    expect(upload(1, 5).outcome).toMatchObject({ status: 429, ...inTwoSeconds });
    // The next organisation gets half of what is left, and so on: each finds room.
    expect([upload(2, 5).outcome, upload(2, 5).outcome]).toEqual(['accepted', 'accepted']);
    expect(upload(2, 5).outcome).toMatchObject({ status: 429 });
    expect(upload(3, 5).outcome).toBe('accepted');
    for (const one of held) one.end();
    expect(upload(2, 5).outcome).toBe('accepted');
  });

  it('accepts an organisation without an upload in progress while there is any room', () => {
    const upload = uploads(9);
    expect(upload(1, 5).outcome).toBe('accepted');
    expect(upload(2, 4).outcome).toBe('accepted');
  });
});
