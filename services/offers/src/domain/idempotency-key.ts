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

/** A different payload is told so even while the first is in flight. */
export function judgeKey(known: KnownKey, now: Date): KeyVerdict {
  if (!known.sameFingerprint) return 'different-payload';
  if (known.recoveryPoint === 'finished') return 'replay';
  return now < known.leaseUntil ? 'in-flight' : 'take-over';
}
