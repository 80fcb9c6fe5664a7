/** The kernel in WebAssembly. Its source is in `kernel/`; `npm run build:kernel` compiles it. */
import { readFileSync } from 'node:fs';
import { fromMicrodegrees, isWithin } from '@offer-ads/contracts/audience/great-circle';
import { radiusRadians, type Target } from '@offer-ads/contracts/audience/target';
import { MAX_BYTES, type Memory } from '../memory/heap.ts';
import type { Kernel } from './kernel.ts';

const PAGE = 2 ** 16;

const bytes = readFileSync(new URL('../../../kernel/audience-kernel.wasm', import.meta.url));
const { ceil, floor } = Math;

let compiled: WebAssembly.Module | undefined;

export function wasmIsSupported(): boolean {
  return typeof WebAssembly === 'object' && WebAssembly.validate(bytes);
}

export function openWasmKernel(): Kernel {
  compiled ??= new WebAssembly.Module(bytes);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: floor(MAX_BYTES / PAGE) });
  let target: Target | undefined;
  const rule = {
    isWithin: (latitude: number, longitude: number) =>
      target !== undefined &&
      isWithin(target, { latitude: fromMicrodegrees(latitude), longitude: fromMicrodegrees(longitude) }),
  };
  const instance = new WebAssembly.Instance(compiled, { env: { memory }, rule });
  const count = instance.exports['count'] as (latitude: number, longitude: number, radius: number) => number;
  return {
    name: 'wasm',
    memory: growing(memory),
    count: (_heap, circle) => {
      target = circle;
      return count(circle.latitude, circle.longitude, radiusRadians(circle.radiusMiles)) >>> 0;
    },
  };
}

function growing(memory: WebAssembly.Memory): Memory {
  return {
    buffer: () => memory.buffer,
    growTo: (bytes) => {
      try {
        memory.grow(ceil((bytes - memory.buffer.byteLength) / PAGE));
        return true;
      } catch {
        return false;
      }
    },
  };
}
