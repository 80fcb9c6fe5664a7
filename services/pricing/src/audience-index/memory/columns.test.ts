import { describe, expect, it } from '@jest/globals';
import { chance } from '@offer-ads/testing/random';
import { createDraft } from '../draft.ts';
import { openKernel } from '../kernel/open-kernel.ts';
import { clearBit, findColumns, setBit, slotsOf, writeColumns } from './columns.ts';
import { allocate, createHeap, read, reserve } from './heap.ts';
import { COLUMNS, columnBlock, SLOTS, superblock } from './layout.ts';

const { floor } = Math;

function createColumns() {
  const heap = createHeap(openKernel('plain').memory);
  reserve(heap);
  const owner = allocate(heap, superblock.words);
  heap.u32[owner + superblock.columns] = writeColumns(heap, createDraft());
  const found = new Uint16Array(COLUMNS);
  const block = () => read(heap, owner + superblock.columns);
  return {
    set: (column: number, slot: number) => {
      reserve(heap);
      setBit(heap, owner, column, slot);
    },
    clear: (column: number, slot: number) => clearBit(heap, block(), column, slot),
    slots: (column: number) => slotsOf(heap, block(), column).toSorted((a, b) => a - b),
    columns: (slot: number) => [...found.subarray(0, findColumns(heap, block(), slot, found))],
    bytes: () => 16 * read(heap, block() + columnBlock.capacity),
  };
}

describe('the columns of a superblock', () => {
  it('hold what was set and not cleared, as lists and as bitmaps', () => {
    const columns = createColumns();
    const random = chance(9);
    const bits = new Set<number>();
    for (let step = 0; step < 20_000; step += 1) {
      // Low columns get many bits, high columns few.
      const column = floor((random.below(1_000) / 1_000) ** 3 * COLUMNS);
      const slot = random.below(SLOTS);
      const bit = column * SLOTS + slot;
      if (bits.delete(bit)) columns.clear(column, slot);
      else {
        bits.add(bit);
        columns.set(column, slot);
      }
    }
    const expected = Array.from({ length: COLUMNS }, (): number[] => []);
    for (const bit of [...bits].toSorted((a, b) => a - b)) expected[floor(bit / SLOTS)]?.push(bit % SLOTS);
    expect(expected.map((_, column) => columns.slots(column))).toEqual(expected);
    const ofSlot = expected.flatMap((slots, column) => (slots.includes(77) ? [column] : []));
    expect(columns.columns(77)).toEqual(ofSlot);
  });

  it('take 16 bytes for up to 8 slots, and 128 for 33 and more', () => {
    const columns = createColumns();
    for (let column = 0; column < COLUMNS; column += 1) columns.set(column, column);
    expect(columns.bytes()).toBeLessThan(COLUMNS * 18 * 1.25);
    for (let column = 0; column < COLUMNS; column += 1) {
      for (let slot = 0; slot < SLOTS; slot += 16) if (slot !== column) columns.set(column, slot);
    }
    expect(columns.bytes()).toBeLessThan(COLUMNS * 130 * 1.25);
  });
});
