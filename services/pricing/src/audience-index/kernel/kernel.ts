/** What counts in the memory of the index. Two kernels, the same results: WebAssembly, and plain TypeScript. */
import type { Heap, Memory } from '../memory/heap.ts';
import type { Query } from '../query.ts';

export type Kernel = {
  readonly name: KernelName;
  readonly memory: Memory;
  readonly count: (heap: Heap, query: Query) => number;
};

export type KernelName = 'wasm' | 'plain';
