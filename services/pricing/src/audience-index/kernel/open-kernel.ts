/** Which kernel counts. */
import type { Kernel, KernelName } from './kernel.ts';
import { openPlainKernel } from './plain-kernel.ts';
import { openWasmKernel, wasmIsSupported } from './wasm-kernel.ts';

/** The plain one counts where WebAssembly with SIMD is missing, and is what the other is tested by. */
export function openKernel(name?: KernelName): Kernel {
  const chosen = name ?? (wasmIsSupported() ? 'wasm' : 'plain');
  return chosen === 'wasm' ? openWasmKernel() : openPlainKernel();
}
