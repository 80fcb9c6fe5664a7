/** What was booked, in words. */
import type { TransactionKind } from '@offer-ads/contracts/internal/billing-api';

const words: Readonly<Record<TransactionKind, string>> = {
  'offer-charge': 'Offer paid from the balance',
  'offer-card-payment': 'Offer paid by card',
  'unused-time-credit': 'Credit of unused time',
  'card-top-up': 'Top-up by card',
  'platform-top-up': 'Added by the platform team',
  'play-money': 'Play money',
  'card-refund': 'Card payment refunded',
  'card-refund-failed': 'Refund to the card failed',
  'card-dispute': 'Card payment disputed by its holder',
  'card-dispute-won': 'Dispute of a card payment ended in its favour',
  'card-settlement': 'Taken off for a card payment that was taken back',
  'card-settlement-returned': 'Given back, because the card payment is good again',
};

export function entryText(kind: TransactionKind): string {
  return words[kind];
}

/** "+" before what came; minus signs are in the amounts themselves. */
export function signOf(minor: string): string {
  return BigInt(minor) > 0n ? '+' : '';
}
