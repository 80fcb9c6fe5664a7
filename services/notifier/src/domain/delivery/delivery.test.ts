import { describe, expect, it } from '@jest/globals';
import type { AttemptResult } from './attempt.ts';
import { deliveryResultOf, resendRefusal } from './delivery.ts';

const queuedAt = new Date('2026-06-01T12:00:00.000Z');
const later = (ms: number) => new Date(queuedAt.getTime() + ms);
const first = { attempts: 1, queuedAt, now: queuedAt };
const hour = 3_600_000;
const fourDays = 4 * 24 * hour;
const deferred: AttemptResult = {
  outcome: 'deferred',
  problem: '451 later',
  slowDown: false,
  uncertain: false,
};
const unavailable: AttemptResult = { outcome: 'unavailable', problem: 'connection refused' };

describe('a notification after an attempt', () => {
  it('is tried again after delays that grow up to an hour', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((attempts) => {
      const result = deliveryResultOf(deferred, { ...first, attempts });
      return result.state === 'pending' ? result.retryInMs / 1_000 : result.state;
    });
    expect(delays).toEqual([1, 5, 15, 60, 300, 900, 3_600, 3_600, 3_600]);
  });

  it('is given up after four days', () => {
    expect(deliveryResultOf(deferred, { ...first, attempts: 9, now: later(fourDays - hour) }).state).toBe(
      'pending',
    );
    expect(deliveryResultOf(deferred, { ...first, attempts: 9, now: later(fourDays - hour + 1) })).toEqual({
      state: 'failed',
      problem: 'given up after four days: 451 later',
      attempted: true,
    });
  });

  it('spends no attempt while no server answers, and is still given up after four days', () => {
    expect(deliveryResultOf(unavailable, { ...first, attempts: 9 })).toEqual({
      state: 'pending',
      retryInMs: 0,
      problem: 'connection refused',
      attempted: false,
      uncertain: false,
    });
    expect(deliveryResultOf(unavailable, { ...first, now: later(fourDays + 1) })).toMatchObject({
      state: 'failed',
      attempted: false,
    });
  });

  it('is marked when the server may have accepted it without our knowing', () => {
    expect(deliveryResultOf({ ...deferred, uncertain: true }, first)).toMatchObject({ uncertain: true });
  });
});

describe('sending again', () => {
  it.each(['pending', 'sent', 'failed', 'suppressed'])('is possible for what is %s', (state) => {
    const kept = { state, hasMessage: true };
    expect(resendRefusal({ ...kept, expiresAt: undefined, hasLeft: false }, queuedAt)).toBeUndefined();
    expect(resendRefusal({ ...kept, expiresAt: later(1), hasLeft: true }, queuedAt)).toBeUndefined();
  });

  it('is not possible with a link that has expired', () => {
    const link = { state: 'pending', hasMessage: true, expiresAt: queuedAt, hasLeft: false };
    expect(resendRefusal(link, queuedAt)).toBe('link-gone');
  });
});
