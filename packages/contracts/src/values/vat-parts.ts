/**
 * The VAT of one card payment for several offers, as the part of each. The parts add up to the whole.
 * @param netMinor the prices, in the order of the offer ids
 */
export function vatParts(netMinor: readonly bigint[], vatMinor: bigint): bigint[] {
  const total = netMinor.reduce((sum, net) => sum + net, 0n);
  let before = 0n;
  return netMinor.map((net) => {
    const until = before + net;
    const part = total === 0n ? 0n : (vatMinor * until) / total - (vatMinor * before) / total;
    before = until;
    return part;
  });
}
