/** What Unused Time is worth, the one rule that billing credits by and that the check of payments recomputes (decision 6). */
import { divideHalfUp } from './rounding.ts';

/** Milliseconds so far, cumulative. */
export type UnusedTime = { readonly unusedMs: number; readonly scheduledMs: number };

/** The whole credit that so much Unused Time is worth: net price x unused / scheduled, half up; never above the price. */
export function creditTarget(netMinor: bigint, { unusedMs, scheduledMs }: UnusedTime): bigint {
  if (scheduledMs <= 0) throw new RangeError(`an offer is scheduled for more than ${scheduledMs} ms`);
  const unused = BigInt(Math.min(Math.max(unusedMs, 0), scheduledMs));
  return divideHalfUp(netMinor * unused, BigInt(scheduledMs));
}
