/**
 * Half-up division, which every rounding of the price rules, of VAT and of credits is made of. It has no rule of its own: each rule is one
 * named function at its place that says how many decimals it keeps and why.
 */

/** The quotient rounded to the nearest whole number, a half upwards. Exact at any size; for amounts, so never negative. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n || denominator <= 0n) {
    throw new RangeError(`half-up division is for amounts, not for ${numerator} / ${denominator}`);
  }
  return (2n * numerator + denominator) / (2n * denominator);
}
