/**
 * Credits of Unused Time are cumulative (decision 6): events say how much of an offer went unused so far, and what has
 * not been credited yet of the part of the price that this is worth is credited now. Repeats and any order are harmless.
 */
import { divideHalfUp } from '@offer-ads/contracts/rounding';

export type UnusedTime = { readonly unusedMs: number; readonly scheduledMs: number };

/** The whole credit that so much Unused Time is worth: net price x unused / scheduled, half up; never above the price. */
export function creditTarget(netMinor: bigint, { unusedMs, scheduledMs }: UnusedTime): bigint {
  if (scheduledMs <= 0) throw new RangeError(`an offer is scheduled for more than ${scheduledMs} ms`);
  const unused = BigInt(Math.min(Math.max(unusedMs, 0), scheduledMs));
  return divideHalfUp(netMinor * unused, BigInt(scheduledMs));
}

/** What is still to be credited; 0 when more unused time than this was credited before. */
export function creditDue(o: {
  readonly netMinor: bigint;
  readonly creditedMinor: bigint;
  readonly unusedTime: UnusedTime;
}): bigint {
  const due = creditTarget(o.netMinor, o.unusedTime) - o.creditedMinor;
  return due > 0n ? due : 0n;
}
