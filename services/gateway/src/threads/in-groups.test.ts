import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { inGroups } from './in-groups.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('things passed on in groups', () => {
  it('arrive in their order, one group after the other, all of them before the end', async () => {
    const sent: number[][] = [];
    const slow = Promise.withResolvers<void>();
    const groups = inGroups<number>({
      everyMs: 10,
      maxWaiting: 10,
      send: (group) => {
        sent.push(group);
        return slow.promise;
      },
    });
    for (let thing = 0; thing < 5; thing += 1) groups.add(thing);
    await jest.advanceTimersByTimeAsync(10);
    for (let thing = 5; thing < 10; thing += 1) groups.add(thing);
    await jest.advanceTimersByTimeAsync(10);
    expect(sent).toEqual([[0, 1, 2, 3, 4]]);
    slow.resolve();
    await groups[Symbol.asyncDispose]();
    expect(sent).toEqual([
      [0, 1, 2, 3, 4],
      [5, 6, 7, 8, 9],
    ]);
  });

  it('are dropped, and said to be, while too many wait', async () => {
    const slow = Promise.withResolvers<void>();
    const groups = inGroups<number>({ everyMs: 60_000, maxWaiting: 2, send: () => slow.promise });
    expect([1, 2, 3].map(groups.add)).toEqual([true, true, false]);
    slow.resolve();
    await groups[Symbol.asyncDispose]();
  });
});
