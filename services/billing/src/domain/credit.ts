/**
 * Credits of Unused Time are cumulative (decision 6): events say how much of an offer went unused so far, and what has
 * not been credited yet of the part of the price that this is worth is credited now. Repeats and any order are harmless.
 */
import { creditTarget, type UnusedTime } from '@offer-ads/contracts/unused-time';

/** What is still to be credited; 0 when more unused time than this was credited before. */
export function creditDue(o: {
  readonly netMinor: bigint;
  readonly creditedMinor: bigint;
  readonly unusedTime: UnusedTime;
}): bigint {
  const due = creditTarget(o.netMinor, o.unusedTime) - o.creditedMinor;
  return due > 0n ? due : 0n;
}
