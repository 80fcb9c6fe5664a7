/** What counts in the memory of the index. Two kernels, the same results: WebAssembly, and plain TypeScript. */
import type { Heap, Memory } from './heap.ts';
import { openPlainKernel } from './plain-kernel.ts';
import type { Query } from './query.ts';
import { openWasmKernel, wasmIsSupported } from './wasm-kernel.ts';

export type Kernel = {
  readonly name: KernelName;
  readonly memory: Memory;
  readonly count: (heap: Heap, query: Query) => number;
};

export type KernelName = 'wasm' | 'plain';

/** The plain one counts where WebAssembly with SIMD is missing, and is what the other is tested by. */
export function openKernel(name?: KernelName): Kernel {
  const chosen = name ?? (wasmIsSupported() ? 'wasm' : 'plain');
  return chosen === 'wasm' ? openWasmKernel() : openPlainKernel();
}
