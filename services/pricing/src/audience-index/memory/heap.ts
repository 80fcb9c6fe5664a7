/**
 * The memory of the index and its allocator. Memory grows only in `reserve`, before an operation begins. Views therefore stay valid during
 * an operation, and an operation without enough memory is refused before it changes anything.
 */
import * as layout from './layout.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { SCRATCH_WORDS, state } = layout;

/** A WebAssembly memory, or a plain buffer for the plain kernel. */
export type Memory = {
  readonly buffer: () => ArrayBuffer;
  /** @returns false if the system gives no more memory */
  readonly growTo: (bytes: number) => boolean;
};

export type Heap = {
  i32: Int32Array;
  u32: Uint32Array;
  u16: Uint16Array;
  f64: Float64Array;
  readonly memory: Memory;
  readonly maxBytes: number;
};

/** The member does not fit: memory, or the number of different interests or genders, is used up. Nothing was changed. */
export class AudienceFullError extends Error {
  override readonly name = 'AudienceFullError';
}

/** The largest size that 32-bit addresses allow, minus one page. */
export const MAX_BYTES = 2 ** 32 - 2 ** 16;
/** More than any single operation allocates: a split up to the root with 512 interests at every level. */
const RESERVE_WORDS = 2 ** 18;
/** Sizes are multiples of 64 bytes, a cache line. */
const LINE_WORDS = 16;

const { clz32, ceil, max, min } = Math;

export function createHeap(memory: Memory, maxBytes = MAX_BYTES): Heap {
  const heap = { memory, maxBytes, ...viewsOf(memory) };
  reserve(heap, SCRATCH_WORDS + state.words);
  heap.u32[state.end] = SCRATCH_WORDS + state.words;
  return heap;
}

export function read(heap: Heap, address: number): number {
  return heap.u32[address] as number;
}

/** For latitudes and longitudes, which are signed. */
export function readSigned(heap: Heap, address: number): number {
  return heap.i32[address] as number;
}

export function increase(heap: Heap, address: number, by: number): void {
  heap.u32[address] = (heap.u32[address] as number) + by;
}

/** Makes sure that an operation has enough memory. */
export function reserve(heap: Heap, words = RESERVE_WORDS): void {
  const wanted = 4 * (usedWords(heap) + words);
  const bytes = 4 * heap.u32.length;
  if (wanted <= bytes) return;
  // At least a 32nd more, so that growing is rare; never above the limit.
  const grown = min(heap.maxBytes, max(wanted, ceil(bytes * 1.03125)));
  if (wanted > heap.maxBytes || !heap.memory.growTo(grown)) {
    throw new AudienceFullError(
      `The audience index is full: it uses ${bytes} bytes and may have ${heap.maxBytes}. ` +
        'Give it more memory, or count on MongoDB (AUDIENCE_ENGINE=mongo).',
    );
  }
  Object.assign(heap, viewsOf(heap.memory));
}

/** Whether an operation has enough memory without growing it. */
export function canAllocate(heap: Heap): boolean {
  return usedWords(heap) + RESERVE_WORDS <= heap.u32.length;
}

export function usedWords(heap: Heap): number {
  return read(heap, state.end);
}

/** @returns the address of memory with undefined content */
export function allocate(heap: Heap, words: number): number {
  const { index, lines } = sizeClass(words);
  const free = read(heap, state.free + index);
  if (free !== 0) {
    heap.u32[state.free + index] = read(heap, free);
    return free;
  }
  const address = read(heap, state.end);
  const end = address + lines * LINE_WORDS;
  if (end > heap.u32.length) throw new Error('an operation allocated more than was reserved for it');
  heap.u32[state.end] = end;
  return address;
}

/** @param words the size passed to `allocate` */
export function release(heap: Heap, address: number, words: number): void {
  const { index } = sizeClass(words);
  heap.u32[address] = read(heap, state.free + index);
  heap.u32[state.free + index] = address;
}

/** The size that `allocate` really reserves for so many words. */
export function roundedWords(words: number): number {
  return sizeClass(words).lines * LINE_WORDS;
}

/** Eight sizes per doubling: rounding wastes at most an eighth. */
function sizeClass(words: number): { index: number; lines: number } {
  const wanted = ceil(words / LINE_WORDS);
  const shift = max(0, 28 - clz32(wanted));
  const rounded = ceil(wanted / 2 ** shift);
  return { index: shift * 8 + rounded, lines: rounded * 2 ** shift };
}

function viewsOf(memory: Memory): Pick<Heap, 'i32' | 'u32' | 'u16' | 'f64'> {
  const buffer = memory.buffer();
  return {
    i32: new Int32Array(buffer),
    u32: new Uint32Array(buffer),
    u16: new Uint16Array(buffer),
    f64: new Float64Array(buffer),
  };
}
