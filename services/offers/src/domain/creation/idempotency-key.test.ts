import { describe, expect, it } from '@jest/globals';
import { judgeKey, latestLease, leaseFrom, type RecoveryPoint } from './idempotency-key.ts';

describe('a request with a known key', () => {
  const now = new Date(1_000);
  const leased = new Date(1_001);
  const known = (recoveryPoint: RecoveryPoint, leaseUntil: Date, sameFingerprint = true) =>
    judgeKey({ sameFingerprint, recoveryPoint, leaseUntil }, now);

  it('is a replay once the creation is finished, whatever its lease is', () => {
    expect(known('finished', leased)).toBe('replay');
    expect(known('finished', new Date(0))).toBe('replay');
  });

  it.each(['received', 'charging'] as const)(
    'at %s waits while the lease lasts, and then takes over',
    (point) => {
      expect(known(point, leased)).toBe('in-flight');
      expect(known(point, now)).toBe('take-over');
    },
  );

  it('waits for a lease of a clock that is a minute ahead, but not for a longer one', () => {
    const minuteAhead = leaseFrom(new Date(now.getTime() + 60_000));
    expect(minuteAhead).toEqual(latestLease(now));
    expect(known('charging', minuteAhead)).toBe('in-flight');
    expect(known('charging', new Date(minuteAhead.getTime() + 1))).toBe('take-over');
  });

  it.each(['received', 'charging', 'finished'] as const)('with another payload is refused at %s', (point) => {
    expect(known(point, leased, false)).toBe('different-payload');
  });
});
