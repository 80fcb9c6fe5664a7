import { describe, expect, it } from '@jest/globals';
import { fateOf } from './delivery.ts';

const createdAt = new Date('2026-06-01T12:00:00.000Z');
const later = (ms: number) => new Date(createdAt.getTime() + ms);
const first = { attempts: 1, createdAt, expiresAt: undefined, now: createdAt };
const temporary = { outcome: 'refused', permanent: false, problem: '451 later' } as const;

describe('a notification after an attempt', () => {
  it('is sent when the server took it', () => {
    expect(fateOf({ outcome: 'accepted' }, first)).toEqual({ state: 'sent' });
  });

  it('has failed, with the reason, when the server will never take it', () => {
    expect(fateOf({ outcome: 'refused', permanent: true, problem: '550 no such user' }, first)).toEqual({
      state: 'failed',
      problem: '550 no such user',
    });
  });

  it('is tried again after delays that grow up to an hour', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((attempts) => {
      const fate = fateOf(temporary, { ...first, attempts });
      return fate.state === 'pending'
        ? (fate.nextAttemptAt.getTime() - createdAt.getTime()) / 1_000
        : fate.state;
    });
    expect(delays).toEqual([1, 5, 15, 60, 300, 900, 3_600, 3_600, 3_600]);
  });

  it('is given up after four days', () => {
    const fourDays = 4 * 24 * 3_600_000;
    expect(fateOf(temporary, { ...first, attempts: 9, now: later(fourDays - 3_600_000) }).state).toBe(
      'pending',
    );
    expect(fateOf(temporary, { ...first, attempts: 9, now: later(fourDays - 3_599_999) })).toEqual({
      state: 'failed',
      problem: 'given up after 9 attempts: 451 later',
    });
  });

  it('comes up at its expiry at the latest, to be removed', () => {
    const expiresAt = later(500);
    expect(fateOf(temporary, { ...first, expiresAt })).toMatchObject({ nextAttemptAt: expiresAt });
    expect(fateOf(temporary, { ...first, expiresAt: later(60_000) })).toMatchObject({
      nextAttemptAt: later(1_000),
    });
  });
});
