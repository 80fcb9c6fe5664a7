/** The interface of the code that counts in the index's memory. Two kernels give the same results: WebAssembly, and plain TypeScript. */
import type { Heap, Memory } from '../memory/heap.ts';
import type { Query } from '../query.ts';

export type Kernel = {
  readonly name: KernelName;
  readonly memory: Memory;
  readonly count: (heap: Heap, query: Query) => number;
};

export type KernelName = 'wasm' | 'plain';
