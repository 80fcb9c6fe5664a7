/** What a request with an Idempotency-Key finds that was used before (decision 10, idempotency keys). */

/** The points from which a creation can be continued (architecture, "Creating an offer"). */
export type RecoveryPoint = 'received' | 'charging' | 'finished';

/** The stored state of a key that was used before. */
export type KnownKey = {
  readonly sameFingerprint: boolean;
  readonly recoveryPoint: RecoveryPoint;
  readonly leaseUntil: Date;
};

/** `take-over`: the holder is gone, so continue where the creation stopped. */
export type KeyVerdict = 'different-payload' | 'replay' | 'in-flight' | 'take-over';

/**
 * Five seconds more than a creation may take (decision 23, deadlines and outages): only a stalled holder loses its lease, or one with a
 * wrong clock.
 */
const LEASE_MS = 30_000;
/**
 * The largest difference between the clocks of replicas. With a larger one, leases protect less and only the fences prevent double work.
 */
export const CLOCK_SKEW_MS = 60_000;

export function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

/** No lease given now ends later than this. A later end was written by a replica whose clock ran ahead. */
export function latestLease(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS + CLOCK_SKEW_MS);
}

/** A different payload is reported as such, even while the first request is still running. */
export function judgeKey(known: KnownKey, now: Date): KeyVerdict {
  if (!known.sameFingerprint) return 'different-payload';
  if (known.recoveryPoint === 'finished') return 'replay';
  const isHeld = now < known.leaseUntil && known.leaseUntil <= latestLease(now);
  return isHeld ? 'in-flight' : 'take-over';
}
