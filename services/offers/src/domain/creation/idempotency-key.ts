/** The Idempotency-Key: its form, and what a request meets that brings one (decision 10). */

/** 1 to 255 printable ASCII characters without spaces. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** Named points of a creation at which it may be taken up again (architecture, "Creating an offer"). */
export type RecoveryPoint = 'received' | 'checked' | 'charging' | 'finished';

/** What the store knows of a key that was used before. */
export type KnownKey = {
  readonly sameFingerprint: boolean;
  readonly recoveryPoint: RecoveryPoint;
  readonly leaseUntil: Date;
};

/** `take-over`: nobody is at work any more, so go on where the creation stopped. */
export type KeyVerdict = 'different-payload' | 'replay' | 'in-flight' | 'take-over';

/**
 * Five seconds more than a creation may take (decision 23, deadlines and outages): only a holder that stalls, or a
 * clock that jumps, is overtaken.
 */
const LEASE_MS = 30_000;
/** What the clocks of replicas may differ by. Beyond it leases are worth less, and the fences alone keep order. */
export const CLOCK_SKEW_MS = 60_000;

export function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

/** No lease that is given now ends later: whoever gave one that does had a clock that has since been set back. */
export function latestLease(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS + CLOCK_SKEW_MS);
}

/** A different payload is told so even while the first is in flight. */
export function judgeKey(known: KnownKey, now: Date): KeyVerdict {
  if (!known.sameFingerprint) return 'different-payload';
  if (known.recoveryPoint === 'finished') return 'replay';
  const isHeld = now < known.leaseUntil && known.leaseUntil <= latestLease(now);
  return isHeld ? 'in-flight' : 'take-over';
}
