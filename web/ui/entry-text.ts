/** Texts for the kinds of bookings. */
import type { TransactionKind } from '@offer-ads/contracts/internal/billing-api';

const words: Readonly<Record<TransactionKind, string>> = {
  'offer-charge': 'Offer bought',
  'offer-card-payment': 'Offer paid by card',
  'group-card-payment': 'Several offers paid by card',
  'unused-time-credit': 'Credit for time in which the offer did not run',
  'card-top-up': 'Top-up by card',
  'platform-top-up': 'Added by the platform team',
  'play-money': 'Play money',
  'card-refund': 'Card payment refunded',
  'card-refund-failed': 'Refund to the card failed',
  'card-dispute': 'Card payment disputed by its holder',
  'card-dispute-won': 'Dispute of a card payment rejected',
  'card-settlement': 'Deducted for a card payment that was taken back',
  'card-settlement-returned': 'Returned, because the card payment is valid again',
};

export function entryText(kind: TransactionKind): string {
  return words[kind];
}

/** "+" for positive amounts; negative amounts have their minus sign already. */
export function signOf(minor: string): string {
  return BigInt(minor) > 0n ? '+' : '';
}
