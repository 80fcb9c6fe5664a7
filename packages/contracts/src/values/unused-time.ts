/**
 * The value of Unused Time (decision 6, Unused Time). Billing credits by this rule, and the check of payments recomputes with it.
 */
import { divideHalfUp } from './rounding.ts';

/** Cumulative milliseconds. */
export type UnusedTime = { readonly unusedMs: number; readonly scheduledMs: number };

/** The total credit for this Unused Time: net price x unused / scheduled, rounded half up, never above the price. */
export function creditTarget(netMinor: bigint, { unusedMs, scheduledMs }: UnusedTime): bigint {
  if (scheduledMs <= 0) throw new RangeError(`an offer is scheduled for more than ${scheduledMs} ms`);
  const unused = BigInt(Math.min(Math.max(unusedMs, 0), scheduledMs));
  return divideHalfUp(netMinor * unused, BigInt(scheduledMs));
}
