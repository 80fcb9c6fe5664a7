import { describe, expect, it } from '@jest/globals';
import { chance } from '@offer-ads/testing/random';
import { openKernel } from '../kernel/open-kernel.ts';
import { createHeap, reserve, usedWords } from './heap.ts';
import {
  addReference,
  createIdMap,
  expectIds,
  findReference,
  moveReference,
  removeReference,
} from './id-map.ts';

function createMap(expected: readonly number[] = []) {
  const heap = createHeap(openKernel('plain').memory);
  const ids = new Map<number, number>();
  const idOf = (reference: number) => ids.get(reference)!;
  const isOf = (reference: number, id: number) => {
    if (!ids.has(reference)) throw new Error(`${reference} is nobody's`);
    return ids.get(reference) === id;
  };
  reserve(heap);
  createIdMap(heap);
  expectIds(heap, Float64Array.from(expected), (words) => reserve(heap, words));
  return {
    words: () => usedWords(heap),
    find: (id: number) => findReference(heap, isOf, id),
    add: (id: number, reference: number) => {
      reserve(heap);
      ids.set(reference, id);
      addReference(heap, idOf, id, reference);
    },
    move: (id: number, from: number, to: number) => {
      ids.set(to, id);
      moveReference(heap, id, from, to);
    },
    remove: (id: number, reference: number) => removeReference(heap, idOf, id, reference),
  };
}

describe('the id map', () => {
  it.each([[[]], [Array.from({ length: 20_000 }, (_, at) => at + 1)]])(
    'finds every id after random additions, moves and removals',
    (expected) => {
      const map = createMap(expected);
      const random = chance(4);
      const known = new Map<number, number>();
      let next = 1;
      for (let step = 0; step < 60_000; step += 1) {
        const number = 1 + random.below(20_000);
        const id = number % 2 === 0 ? number : 2 ** 53 - number;
        const reference = known.get(id);
        next += 1;
        if (reference === undefined) {
          known.set(id, next);
          map.add(id, next);
        } else if (random.below(3) === 0) {
          known.set(id, next);
          map.move(id, reference, next);
        } else {
          known.delete(id);
          map.remove(id, reference);
        }
      }
      for (let number = 1; number <= 20_000; number += 1) {
        const id = number % 2 === 0 ? number : 2 ** 53 - number;
        if (map.find(id) !== (known.get(id) ?? 0)) throw new Error(`${id} is not where it was put`);
      }
      expect(known.size).toBeGreaterThan(5_000);
    },
  );

  it('keeps its size and every id when members leave and come back often', () => {
    const map = createMap();
    const ids = Array.from({ length: 130_000 }, (_, at) => 2 ** 32 - 20_000 + at);
    ids.forEach((id, at) => map.add(id, at + 1));
    const churn = (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        ids.forEach((id, at) => {
          if (at % 5 !== round % 5) return;
          map.remove(id, at + 1);
          if (map.find(id) !== 0) throw new Error(`${id} is still there`);
        });
        ids.forEach((id, at) => {
          if (at % 5 === round % 5) map.add(id, at + 1);
        });
      }
      return map.words();
    };
    expect(churn(10)).toBe(churn(10));
    ids.forEach((id, at) => {
      if (map.find(id) !== at + 1) throw new Error(`${id} is not where it was put`);
    });
  });

  it('throws for an id that should be there and is not', () => {
    const map = createMap();
    map.add(1, 5);
    expect(() => map.remove(2, 6)).toThrow('not in the id map');
    expect(() => map.move(1, 6, 7)).toThrow('not in the id map');
  });
});
