import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createStoreClock } from '@offer-ads/platform/postgres/store-clock';
import type { Dispatcher } from 'undici';
import { CallerGone } from '../../upstream.ts';
import { PassedReply } from './passed-reply.ts';

function passing() {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const errors: unknown[] = [];
  res.on('error', (error) => errors.push(error));
  const aborted: Error[] = [];
  const controller = {
    paused: false,
    abort: (reason: Error) => aborted.push(reason),
  } as unknown as Dispatcher.DispatchController;
  const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
  const ended = (error: Error | undefined) => resolve(error ?? 'taken');
  const reply = new PassedReply(res, { withoutBody: false, storeClock: createStoreClock(), ended });
  reply.onRequestStart(controller);
  return { res, reply, controller, errors, aborted, outcome };
}

describe('a reply of a service', () => {
  it.each([
    ['short', '11'],
    ['long', '1000000'],
  ])('that is %s and comes after the request was refused is aborted', async (_case, length) => {
    const { res, reply, controller, errors, aborted, outcome } = passing();
    reply.onResponseStart(controller, 200, { 'content-length': length });
    res.end('refused');
    reply.onResponseData(controller, Buffer.from('too late...'));
    reply.onResponseEnd();
    expect(await outcome).toBeInstanceOf(CallerGone);
    expect([aborted.length > 0, errors]).toEqual([true, []]);
  });

  it('is aborted before it begins if the caller has left', async () => {
    const { reply, aborted, outcome } = passing();
    reply.callerLeft();
    expect(await outcome).toBeInstanceOf(CallerGone);
    expect(aborted).toHaveLength(1);
  });

  it('counts as complete if the connection closes after it was sent', async () => {
    const { res, reply, controller, aborted, outcome } = passing();
    reply.onResponseStart(controller, 200, { 'content-length': '2' });
    reply.onResponseData(controller, Buffer.from('{}'));
    reply.onResponseEnd();
    reply.callerLeft();
    expect([await outcome, res.statusCode, aborted]).toEqual(['taken', 200, []]);
  });
});
