/** Who counts. */
import type { Target } from '../../../services/pricing/src/domain/target.ts';
import type { PeerName } from '../members/names.ts';

export type Peer = {
  readonly name: PeerName;
  /** The index answers at once; the others after a round trip. */
  readonly count: (target: Target) => number | Promise<number>;
  /** So far outside of the circle it may still count somebody; unless given it counts exactly. */
  readonly beyondMetres?: number;
  /** Its rounds take minutes: it is asked in the first one alone. */
  readonly slow?: true;
  /** Seconds to fill it; undefined: a run before did. */
  readonly loadSeconds: number | undefined;
  /** What it holds on disk or in memory, indexes included. */
  readonly bytes: number;
};

/** @returns what `work` gives, and how many seconds it took */
export async function timed<T>(work: () => Promise<T> | T): Promise<[T, number]> {
  const began = performance.now();
  const result = await work();
  return [result, (performance.now() - began) / 1_000];
}
