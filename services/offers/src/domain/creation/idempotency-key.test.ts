import { describe, expect, it } from '@jest/globals';
import { isIdempotencyKey, judgeKey, latestLease, leaseFrom, type RecoveryPoint } from './idempotency-key.ts';

describe('an idempotency key', () => {
  it.each(['a', '3f6c2f0e-9c1b-4b57-8f0e-1d2c3b4a5f60', '~!"#', 'x'.repeat(255)])('may be %j', (key) => {
    expect(isIdempotencyKey(key)).toBe(true);
  });
  it.each(['', 'a b', 'a\tb', 'é', '\u007f', 'x'.repeat(256)])('may not be %j', (key) => {
    expect(isIdempotencyKey(key)).toBe(false);
  });
});

describe('a request with a known key', () => {
  const now = new Date(1_000);
  const leased = new Date(1_001);
  const known = (recoveryPoint: RecoveryPoint, leaseUntil: Date, sameFingerprint = true) =>
    judgeKey({ sameFingerprint, recoveryPoint, leaseUntil }, now);

  it('meets a replay once the creation is finished, whenever that was', () => {
    expect(known('finished', leased)).toBe('replay');
    expect(known('finished', new Date(0))).toBe('replay');
  });

  it.each(['received', 'charging'] as const)(
    'waits while somebody is at work (%s), and else goes on',
    (point) => {
      expect(known(point, leased)).toBe('in-flight');
      expect(known(point, now)).toBe('take-over');
    },
  );

  it('waits for a lease from a clock that is a minute ahead, and not for one from a clock that was set back', () => {
    const minuteAhead = leaseFrom(new Date(now.getTime() + 60_000));
    expect(minuteAhead).toEqual(latestLease(now));
    expect(known('charging', minuteAhead)).toBe('in-flight');
    expect(known('charging', new Date(minuteAhead.getTime() + 1))).toBe('take-over');
  });

  it.each(['received', 'charging', 'finished'] as const)('of another payload is told so at %s', (point) => {
    expect(known(point, leased, false)).toBe('different-payload');
  });
});
