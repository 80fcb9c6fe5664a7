/** A preview of what a deletion would credit, by the rules of the deletion itself. */

import type { Offer } from '../offer.ts';
import { beginDeletion } from './lifecycle.ts';
import { type UnusedTime, unusedTime } from './unused-time.ts';

/**
 * The Unused Time that OfferDeleted would contain if the offer were deleted now. Null: a deletion credits nothing, because nothing was paid
 * or because the end has already credited everything (decision 5, credit at the end).
 */
export function unusedTimeIfDeleted(offer: Offer, now: Date): UnusedTime | null {
  const begun = beginDeletion(offer, now);
  if (!begun.ok || begun.step !== 'deleted') return null;
  const { deletedAt } = begun.offer;
  if (deletedAt === null || deletedAt >= offer.expiryAt) return null;
  return unusedTime(begun.offer, deletedAt);
}
