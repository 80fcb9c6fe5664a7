import { describe, expect, it } from '@jest/globals';
import { inGroups } from './in-groups.ts';

describe('things passed on in groups', () => {
  it('arrive in their order, one group after the other, all of them before the end', async () => {
    const sent: number[][] = [];
    let atOnce = 0;
    const groups = inGroups<number>({
      everyMs: 0,
      most: 10,
      send: async (group) => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        sent.push(group);
        await new Promise(setImmediate);
        atOnce -= 1;
      },
    });
    for (let thing = 0; thing < 5; thing += 1) groups.add(thing);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (let thing = 5; thing < 10; thing += 1) groups.add(thing);
    await groups[Symbol.asyncDispose]();
    expect(sent.flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sent.length).toBeLessThan(10);
  });

  it('are dropped, and said to be, while too many wait', async () => {
    const slow = Promise.withResolvers<void>();
    const groups = inGroups<number>({ everyMs: 60_000, most: 2, send: () => slow.promise });
    expect([1, 2, 3].map(groups.add)).toEqual([true, true, false]);
    slow.resolve();
    await groups[Symbol.asyncDispose]();
  });
});
