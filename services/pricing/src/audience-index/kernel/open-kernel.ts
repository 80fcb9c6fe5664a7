/** Chooses the kernel. */
import type { Kernel, KernelName } from './kernel.ts';
import { openPlainKernel } from './plain-kernel.ts';
import { openWasmKernel, wasmIsSupported } from './wasm-kernel.ts';

/** The plain kernel is used where WebAssembly with SIMD is missing, and for testing the other one. */
export function openKernel(name?: KernelName): Kernel {
  const chosen = name ?? (wasmIsSupported() ? 'wasm' : 'plain');
  return chosen === 'wasm' ? openWasmKernel() : openPlainKernel();
}
