import { expect, it } from '@jest/globals';
import { groupWrites } from './group-writes.ts';

function recorder(isWrong: (items: readonly string[]) => boolean = () => false) {
  const written: (readonly string[])[] = [];
  let endFirst = () => {};
  const firstEnds = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const write = groupWrites(async (items: readonly string[]) => {
    written.push(items);
    if (written.length === 1) await firstEnds;
    if (isWrong(items)) throw new Error(`cannot write ${items.join()}`);
  });
  return { write, written, endFirst };
}

it('a write starts at once, and those that come meanwhile are one write', async () => {
  const { write, written, endFirst } = recorder();
  const all = Promise.all(['a', 'b', 'c'].map(write));
  expect(written).toEqual([['a']]);
  endFirst();
  await all;
  await write('d');
  expect(written).toEqual([['a'], ['b', 'c'], ['d']]);
});

it('an item that cannot be written fails alone', async () => {
  const { write, endFirst } = recorder((items) => items.includes('bad'));
  const all = Promise.allSettled(['a', 'bad', 'b'].map(write));
  endFirst();
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await write('c');
});
