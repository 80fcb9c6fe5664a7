/**
 * What Unused Time is worth (decision 6). Billing credits by this one rule, and the check of payments recomputes by
 * it.
 */
import { divideHalfUp } from './rounding.ts';

/** Milliseconds so far, cumulative. */
export type UnusedTime = { readonly unusedMs: number; readonly scheduledMs: number };

/** The whole credit that so much Unused Time is worth: net price x unused / scheduled, half up; never above the price. */
export function creditTarget(netMinor: bigint, { unusedMs, scheduledMs }: UnusedTime): bigint {
  if (scheduledMs <= 0) throw new RangeError(`an offer is scheduled for more than ${scheduledMs} ms`);
  const unused = BigInt(Math.min(Math.max(unusedMs, 0), scheduledMs));
  return divideHalfUp(netMinor * unused, BigInt(scheduledMs));
}
