/** Which of several processes counts a member (ADR 31). */

/** `number` of the partitions 0 to `of - 1`. */
export type Partition = { readonly number: number; readonly of: number };

export const ALL_MEMBERS: Partition = { number: 0, of: 1 };

/**
 * The multiplier and modulus of "minimal standard" (Park and Miller, 1988). The modulus is prime, so ids with a common factor spread as well
 * as others. Every step is exact in the double-precision numbers of JavaScript and of MongoDB, which computes the same (members-feed-store.ts).
 */
export const PARTITION_HASH = { multiplier: 48_271, modulus: 2_147_483_647 } as const;

/** The number of the partition, of `of`, that a member belongs to. It depends only on the id, so it never changes. */
export function partitionOf(memberId: number, of: number): number {
  const { multiplier, modulus } = PARTITION_HASH;
  return (((memberId % modulus) * multiplier) % modulus) % of;
}
