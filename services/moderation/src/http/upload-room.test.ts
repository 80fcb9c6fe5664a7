import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { uploadRoom } from './upload-room.ts';

const uploads = () => {
  const room = uploadRoom({ mostBytes: 10, largestBytes: 5 });
  return (contentLength?: string) => {
    const res = new EventEmitter() as unknown as Response;
    let outcome: unknown = 'let in';
    const req = { headers: { 'content-length': contentLength } } as Request;
    room(req, res, (refusal?: unknown) => {
      outcome = refusal ?? outcome;
    });
    return { outcome, end: () => res.emit('close') };
  };
};

describe('the room for uploads', () => {
  it('takes in what fits, refuses the next with a 503, and has room again when one is answered', () => {
    const upload = uploads();
    const [first, second, third] = [upload('4'), upload('5'), upload('2')];
    expect([first?.outcome, second?.outcome]).toEqual(['let in', 'let in']);
    expect(third?.outcome).toMatchObject({ status: 503 });
    first?.end();
    expect(upload('2').outcome).toBe('let in');
  });

  it('counts an upload that does not tell its length, or tells too much, as the largest', () => {
    const upload = uploads();
    expect(upload().outcome).toBe('let in');
    expect(upload('1000000').outcome).toBe('let in');
    expect(upload('1').outcome).toMatchObject({ status: 503 });
  });

  it('takes nothing from what an upload gives back that was refused', () => {
    const upload = uploads();
    const held = [upload('5'), upload('5')];
    upload('1').end();
    expect(upload('1').outcome).toMatchObject({ status: 503 });
    for (const one of held) one.end();
  });
});
