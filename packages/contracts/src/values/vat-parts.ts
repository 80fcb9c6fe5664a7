import { divideHalfUp } from './rounding.ts';
import { sum } from './sum.ts';

/**
 * The VAT of one card payment for several offers, as the part of each. The parts add up to the whole.
 * @param netMinor the prices, in the order of the offer ids
 */
export function vatParts(netMinor: readonly bigint[], vatMinor: bigint): bigint[] {
  const total = sum(netMinor);
  const upTo = (net: bigint) => (total === 0n ? 0n : divideHalfUp(vatMinor * net, total));
  let before = 0n;
  return netMinor.map((net) => {
    before += net;
    return upTo(before) - upTo(before - net);
  });
}
