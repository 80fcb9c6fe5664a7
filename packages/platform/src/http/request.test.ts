import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accept } from './request.ts';

/** A request that has just arrived. */
function requestWith(headers: Record<string, string>) {
  const req = Object.assign(new EventEmitter(), { headers });
  return { req, request: accept(req as unknown as IncomingMessage, new Date()) };
}

describe('the id of a request', () => {
  it.each([
    ['is the one that the caller sent', 'order-12345.a_b', /^order-12345\.a_b$/],
    ['is a new one if the caller sent a short text', 'short', /^[0-9a-f-]{36}$/],
    ['is a new one if the caller sent a blank', 'with space 123', /^[0-9a-f-]{36}$/],
    ['is a new one if the caller sent a long text', 'x'.repeat(65), /^[0-9a-f-]{36}$/],
    ['is a new one if the caller sent other characters', 'semi;colon;1', /^[0-9a-f-]{36}$/],
  ])('%s', (_case, sent, id) => {
    expect(requestWith({ 'x-request-id': sent }).request.requestId).toMatch(id);
  });
});

describe('the deadline of a request', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['the budget that the caller sent', '2000', 2_000],
    ['at most 25 s', '999999', 25_000],
    ['25 s when the budget is no number', 'soon', 25_000],
    ['nothing when the budget is negative', '-1', 0],
  ])('is %s', (_case, budget, expectedMs) => {
    const { request } = requestWith({ 'x-request-budget-ms': budget });
    expect(request.deadline().remainingMs()).toBe(expectedMs);
  });

  it('counts from when the whole body has arrived', () => {
    const { req, request } = requestWith({ 'content-length': '4', 'x-request-budget-ms': '9000' });
    jest.advanceTimersByTime(400);
    req.emit('end');
    jest.advanceTimersByTime(50);
    expect(request.deadline().remainingMs()).toBe(8_950);
  });
});
