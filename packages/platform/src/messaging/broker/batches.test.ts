import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { gatherBatches } from './batches.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Batches whose work ends when the test says so. */
function gathering() {
  const begun: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const batches = gatherBatches<number>({
    atMost: 3,
    lingerMs: 50,
    work: (items) => {
      begun.push(items);
      return new Promise((resolve) => {
        ends.push(resolve);
      });
    },
  });
  const endFirst = async () => {
    ends.shift()?.();
    await jest.advanceTimersByTimeAsync(0);
  };
  return { batches, begun, endFirst };
}

describe('a batch', () => {
  it('starts when its first item has waited long enough', () => {
    const { batches, begun } = gathering();
    batches.add(1);
    jest.advanceTimersByTime(30);
    batches.add(2);
    jest.advanceTimersByTime(19);
    expect(begun).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(begun).toEqual([[1, 2]]);
  });

  it('starts after the batch before it has ended, and is never larger than its bound', async () => {
    const { batches, begun, endFirst } = gathering();
    for (const item of [1, 2, 3, 4, 5, 6, 7]) batches.add(item);
    jest.advanceTimersByTime(1_000);
    expect(begun).toEqual([[1, 2, 3]]);
    await endFirst();
    expect(begun).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    await endFirst();
    jest.advanceTimersByTime(50);
    expect(begun.at(-1)).toEqual([7]);
  });

  it('of items that have a size is never larger than its bound, unless its only item is', async () => {
    const begun: (readonly number[])[] = [];
    const batches = gatherBatches<number>({
      atMost: 10,
      sizeOf: (item) => item,
      lingerMs: 50,
      work: async (items) => void begun.push(items),
    });
    for (const item of [4, 5, 1, 12, 3, 8]) batches.add(item);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual([[4, 5, 1], [12], [3], [8]]);
  });

  it('that runs is finished at a stop, and no other starts', async () => {
    const { batches, begun, endFirst } = gathering();
    for (const item of [1, 2, 3, 4]) batches.add(item);
    let stopped = false;
    const stopping = batches.stop().finally(() => {
      stopped = true;
    });
    batches.add(5);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(stopped).toBe(false);
    await endFirst();
    await stopping;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual([[1, 2, 3]]);
  });

  it('has no items that were forgotten', () => {
    const { batches, begun } = gathering();
    batches.add(1);
    batches.forget();
    jest.advanceTimersByTime(1_000);
    expect(begun).toEqual([]);
    batches.add(2);
    jest.advanceTimersByTime(50);
    expect(begun).toEqual([[2]]);
  });
});
