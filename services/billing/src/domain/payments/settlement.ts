/** Who bears the money that the card provider took back. A person decides this once for each refund or dispute. */
import type { RecordedReversal } from './reversal.ts';

/** `balance`: the organisation's prepaid balance, which is never overdrawn. `platform`: the platform itself. */
export type Bearer = 'platform' | 'balance';

export type Settlement = {
  readonly reversalId: string;
  readonly borneBy: Bearer;
  readonly amountMinor: bigint;
  readonly reason: string;
  readonly decidedBy: string;
  readonly settledAt: Date;
  /** The provider returned the money later, and the one who bore it got it back. */
  readonly givenBack: boolean;
};

/** Why no decision is needed or possible. */
export type NothingToSettle = 'nothing-taken' | 'returned' | 'not-booked';

export function nothingToSettle(reversal: RecordedReversal): NothingToSettle | null {
  if (reversal.returned) return 'returned';
  if (!reversal.taken || reversal.amountMinor === 0n) return 'nothing-taken';
  return reversal.takenPosted ? null : 'not-booked';
}
