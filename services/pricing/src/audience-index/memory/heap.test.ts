import { describe, expect, it } from '@jest/globals';
import { randomNumbers } from '@offer-ads/testing/random';
import { openKernel } from '../kernel/open-kernel.ts';
import {
  AudienceFullError,
  allocate,
  createHeap,
  type Heap,
  release,
  reserve,
  roundedWords,
  usedWords,
} from './heap.ts';

const { floor } = Math;

describe.each(['wasm', 'plain'] as const)('the memory of the %s kernel', (kernel) => {
  const heapOf = (maxBytes?: number): Heap => createHeap(openKernel(kernel).memory, maxBytes);

  it('gives no word away twice, and takes back what is released', () => {
    const heap = heapOf();
    const random = randomNumbers(1);
    const owners = new Map<number, number>();
    const held: { address: number; words: number }[] = [];
    for (let step = 0; step < 1_000; step += 1) {
      const oldest = held.shift();
      if (oldest !== undefined && random() < 0.6) {
        for (let word = 0; word < oldest.words; word += 1) owners.delete(oldest.address + word);
        release(heap, oldest.address, oldest.words);
        continue;
      }
      if (oldest !== undefined) held.push(oldest);
      const words = 1 + floor(random() ** 4 * 1_000);
      reserve(heap, words * 2);
      const address = allocate(heap, words);
      for (let word = 0; word < words; word += 1) {
        if (owners.has(address + word)) throw new Error(`word ${address + word} has two owners`);
        owners.set(address + word, step);
      }
      held.push({ address, words });
    }
    expect(usedWords(heap)).toBeLessThan(100 * 1_000);
  });

  it('loses at most an eighth to rounding', () => {
    const sizes = Array.from({ length: 3_000 }, (_, at) => 16 * (at + 1));
    const wrong = sizes.filter((words) => roundedWords(words) < words || roundedWords(words) > words * 1.125);
    expect(wrong).toEqual([]);
  });

  it('keeps what it holds while it grows, up to its bound', () => {
    const heap = heapOf(4 * 1024 * 1024);
    reserve(heap, 1);
    heap.u32[allocate(heap, 1)] = 7;
    const address = usedWords(heap) - 16;
    reserve(heap, 900_000);
    expect(heap.u32[address]).toBe(7);
    expect(() => reserve(heap, 1_048_576)).toThrow(AudienceFullError);
  });
});
