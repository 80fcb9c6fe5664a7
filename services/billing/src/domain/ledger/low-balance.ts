/** When an organisation is told that its balance is low. */

/**
 * Told by what takes the balance across the threshold, and by nothing after it until the balance was at or above the
 * threshold again. A threshold that is set above the balance crosses nothing: whoever sets it sees the balance beside it.
 */
export function fallsBelow(
  thresholdMinor: bigint | null,
  { beforeMinor, afterMinor }: { readonly beforeMinor: bigint; readonly afterMinor: bigint },
): boolean {
  return thresholdMinor !== null && beforeMinor >= thresholdMinor && isLow(thresholdMinor, afterMinor);
}

export function isLow(thresholdMinor: bigint | null, balanceMinor: bigint): boolean {
  return thresholdMinor !== null && balanceMinor < thresholdMinor;
}
