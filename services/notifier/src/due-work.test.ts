import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { groupWrites } from './due-work.ts';

const lingerMs = 50;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function recorder(isWrong: (items: readonly string[]) => boolean = () => false) {
  const written: (readonly string[])[] = [];
  let endFirst = () => {};
  const firstEnds = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const write = groupWrites({
    atMost: 3,
    lingerMs,
    write: async (items: readonly string[]) => {
      written.push(items);
      if (written.length === 1) await firstEnds;
      if (isWrong(items)) throw new Error(`cannot write ${items.join()}`);
    },
  });
  return { write, written, endFirst };
}

const oneGroup = () => jest.advanceTimersByTimeAsync(lingerMs);

it('items of one moment are one write, and those that come while it is under way are the next', async () => {
  const { write, written, endFirst } = recorder();
  const all = ['a', 'b'].map(write);
  await oneGroup();
  all.push(...['c', 'd'].map(write));
  await oneGroup();
  expect(written).toEqual([['a', 'b']]);
  endFirst();
  await Promise.all(all);
  expect(written).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

it('as many as a write may hold are written at once', async () => {
  const { write, written, endFirst } = recorder();
  endFirst();
  await Promise.all(['a', 'b', 'c'].map(write));
  expect(written).toEqual([['a', 'b', 'c']]);
});

it('an item that cannot be written fails alone', async () => {
  const { write, endFirst } = recorder((items) => items.includes('bad'));
  endFirst();
  const all = Promise.allSettled(['a', 'bad', 'b'].map(write));
  await oneGroup();
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const next = write('c');
  await oneGroup();
  await next;
});
