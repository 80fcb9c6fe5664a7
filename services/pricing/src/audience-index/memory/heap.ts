/**
 * The memory of the index and what is allocated in it. Memory grows in `reserve` alone, before an operation begins: so
 * views stay valid within an operation, and one that does not fit is refused before it has changed anything.
 */
import * as layout from './layout.ts';

// V8 looks up what is imported whenever it is read; what is a module's own it compiles in.
const { SCRATCH_WORDS, state } = layout;

/** What memory is made of: a WebAssembly memory, or a plain buffer where the kernel is plain. */
export type Memory = {
  readonly buffer: () => ArrayBuffer;
  /** @returns false when the system gives no more */
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

/** The member does not fit: memory, or the number of different interests or genders. Nothing was changed. */
export class AudienceFullError extends Error {
  override readonly name = 'AudienceFullError';
}

/** All that 32-bit addresses reach, but one page. */
export const MOST_BYTES = 2 ** 32 - 2 ** 16;
/** More than any single operation allocates: a split up to the root with 512 interests at every level. */
const RESERVE_WORDS = 2 ** 18;
/** Sizes are multiples of 64 bytes, a line of the processor's cache. */
const LINE_WORDS = 16;

const { clz32, ceil, max, min } = Math;

export function createHeap(memory: Memory, maxBytes = MOST_BYTES): Heap {
  const heap = { memory, maxBytes, ...viewsOf(memory) };
  reserve(heap, SCRATCH_WORDS + state.words);
  heap.u32[state.end] = SCRATCH_WORDS + state.words;
  return heap;
}

export function read(heap: Heap, address: number): number {
  return heap.u32[address] as number;
}

/** Latitudes and longitudes have signs. */
export function readSigned(heap: Heap, address: number): number {
  return heap.i32[address] as number;
}

export function increase(heap: Heap, address: number, by: number): void {
  heap.u32[address] = (heap.u32[address] as number) + by;
}

/** Makes sure that an operation finds what it may need. */
export function reserve(heap: Heap, words = RESERVE_WORDS): void {
  const wanted = 4 * (usedWords(heap) + words);
  const bytes = 4 * heap.u32.length;
  if (wanted <= bytes) return;
  // A 32nd more at least, so that growing is rare; never beyond the bound.
  const grown = min(heap.maxBytes, max(wanted, ceil(bytes * 1.03125)));
  if (wanted > heap.maxBytes || !heap.memory.growTo(grown)) {
    throw new AudienceFullError(
      `The audience index is full: it uses ${bytes} bytes and may have ${heap.maxBytes}. ` +
        'Give it more memory, or count on MongoDB (AUDIENCE_ENGINE=mongo).',
    );
  }
  Object.assign(heap, viewsOf(heap.memory));
}

/** Whether an operation would find what it may need, without memory growing. */
export function canAllocate(heap: Heap): boolean {
  return usedWords(heap) + RESERVE_WORDS <= heap.u32.length;
}

export function usedWords(heap: Heap): number {
  return read(heap, state.end);
}

/** @returns its address; what it holds is undefined */
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

/** @param words as it was allocated with */
export function release(heap: Heap, address: number, words: number): void {
  const { index } = sizeClass(words);
  heap.u32[address] = read(heap, state.free + index);
  heap.u32[state.free + index] = address;
}

/** What `allocate` really gives for so many words. */
export function roundedWords(words: number): number {
  return sizeClass(words).lines * LINE_WORDS;
}

/** Eight sizes for each doubling: at most an eighth is lost to rounding. */
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
