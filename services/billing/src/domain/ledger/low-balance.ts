/** When an organisation gets the low-balance notice. */

/**
 * True only for the transaction that takes the balance from at or above the threshold to below it. Setting a threshold above the current balance
 * sends no notice, because the page for setting it shows the balance.
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
