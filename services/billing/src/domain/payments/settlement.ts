/** Who bears what the card provider took back. A person decides, once for each refund or dispute. */
import type { KeptReversal } from './reversal.ts';

/** `balance`: the organisation's prepaid balance, which is never overdrawn. `platform`: nobody else. */
export type Bearer = 'platform' | 'balance';

export type Settlement = {
  readonly reversalId: string;
  readonly borneBy: Bearer;
  readonly amountMinor: bigint;
  readonly reason: string;
  readonly decidedBy: string;
  readonly settledAt: Date;
  /** The provider has returned the money since, and whoever bore it got it back. */
  readonly givenBack: boolean;
};

/** Why there is nothing to decide. */
export type NothingToSettle = 'nothing-taken' | 'returned' | 'payment-unknown';

export function nothingToSettle(reversal: KeptReversal): NothingToSettle | null {
  if (reversal.returned) return 'returned';
  if (!reversal.taken || reversal.amountMinor === 0n) return 'nothing-taken';
  // Until its payment is known nobody can say whose balance it would be, and the ledger has none of it.
  return reversal.takenBooked ? null : 'payment-unknown';
}
