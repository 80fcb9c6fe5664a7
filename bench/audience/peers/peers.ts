/** A peer: something that counts members. */
import type { Target } from '@offer-ads/contracts/audience/target';
import type { PeerName } from '../members/names.ts';

export type Peer = {
  readonly name: PeerName;
  /** The grid answers at once; the others after a round trip. */
  readonly count: (target: Target) => number | Promise<number>;
  /** It may count members this far outside of the circle; by default it is exact. */
  readonly beyondMetres?: number;
  /** Its rounds take minutes, so it counts only in the first. */
  readonly slow?: true;
  /** Seconds to fill it; undefined if an earlier run did. */
  readonly loadSeconds: number | undefined;
  /** Its size on disk or in memory, with indexes. */
  readonly bytes: number;
};

/** @returns what `work` gives, and how many seconds it took */
export async function timed<T>(work: () => Promise<T> | T): Promise<[T, number]> {
  const began = performance.now();
  const result = await work();
  return [result, (performance.now() - began) / 1_000];
}
