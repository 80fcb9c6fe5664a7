/** The interface of the code that counts in the index's memory. Two kernels give the same results: WebAssembly, and plain TypeScript. */
import type { Target } from '@offer-ads/contracts/audience/target';
import type { Heap, Memory } from '../memory/heap.ts';

export type Kernel = {
  readonly name: KernelName;
  readonly memory: Memory;
  /** Counts the members in the target's circle who have the genders and interests that `writeFilters` wrote. */
  readonly count: (heap: Heap, target: Target) => number;
};

export type KernelName = 'wasm' | 'plain';
