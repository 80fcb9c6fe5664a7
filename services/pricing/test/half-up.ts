/** Whether this is the quotient rounded half up. Compares without a division; the code under test divides. */
export function isHalfUp(rounded: bigint, numerator: bigint, denominator: bigint): boolean {
  const distance = 2n * (numerator - rounded * denominator);
  return -denominator <= distance && distance < denominator;
}
