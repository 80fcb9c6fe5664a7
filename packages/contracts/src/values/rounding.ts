/**
 * Half-up division, used by every rounding of prices, VAT and credits. Each rounding rule is one named function where it is used; it says
 * how many decimals it keeps and why.
 */

/** The quotient rounded to the nearest whole number, a half upwards. Exact at any size. Negative input is refused. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n || denominator <= 0n) {
    throw new RangeError(`half-up division is for amounts, not for ${numerator} / ${denominator}`);
  }
  return (2n * numerator + denominator) / (2n * denominator);
}
