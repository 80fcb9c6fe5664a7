/** What views and clicks cost. */
import { divideHalfUp } from './rounding.ts';

/**
 * The cost of one, or of so many, in minor units: whole ones, a half upwards, because nobody is charged by it. Null where there are none.
 * @param spendMinor what was paid less what was credited; below zero counts as nothing
 */
export function costPer(spendMinor: bigint, count: number, per = 1): bigint | null {
  if (count <= 0) return null;
  return spendMinor <= 0n ? 0n : divideHalfUp(spendMinor * BigInt(per), BigInt(count));
}
