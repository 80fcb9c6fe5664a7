import { describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Mark } from './members-feed-store.ts';
import { replicaMarks } from './replica-marks.ts';

function marksOn(setMark: (mark: Mark) => Promise<void> = async () => {}) {
  return replicaMarks({ setMark });
}

const LONG_MS = 60_000;

describe('a mark', () => {
  it('is awaited until it or a later one comes back, and an earlier one confirms nothing', async () => {
    const marks = marksOn();
    const [first, second, third] = [await marks.set(), await marks.set(), await marks.set()];
    expect(await marks.awaited(first, 1)).toBe(false);
    const awaited = [marks.awaited(first, LONG_MS), marks.awaited(second, LONG_MS)];
    marks.cameBack(second);
    marks.cameBack(first);
    expect(await Promise.all(awaited)).toEqual([true, true]);
    expect([await marks.awaited(first, LONG_MS), await marks.awaited(third, 1)]).toEqual([true, false]);
  });

  it('is awaited no longer when the replica stops', async () => {
    const marks = marksOn();
    const mark = await marks.set();
    const stopping = new AbortController();
    const awaited = marks.awaited(mark, LONG_MS, stopping.signal);
    stopping.abort();
    expect(await awaited).toBe(false);
    expect(await marks.awaited(mark, LONG_MS, stopping.signal)).toBe(false);
  });

  it('of another replica confirms nothing', async () => {
    const marks = marksOn();
    const mine = await marks.set();
    marks.cameBack(await marksOn().set());
    expect(await marks.awaited(mine, 1)).toBe(false);
    expect(marks.ageMs()).toBeUndefined();
  });

  it('is stored in the order of setting, even after one that could not be stored', async () => {
    const stored: number[] = [];
    const marks = marksOn(async ({ number }) => {
      await Promise.resolve();
      if (number === 2) throw new Error('away');
      stored.push(number);
    });
    const outcomes = await Promise.allSettled([marks.set(), marks.set(), marks.set()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored).toEqual([1, 3]);
  });

  it('gives the age since it was set, not since it came back', async () => {
    expect(marksOn().ageMs()).toBeUndefined();
    let store = () => {};
    const slow = marksOn(() => new Promise((resolve) => void (store = resolve)));
    const setting = slow.set();
    const setBefore = performance.now();
    // About the time that a store needs to answer.
    await eventually(() => expect(performance.now() - setBefore).toBeGreaterThan(20));
    store();
    slow.cameBack(await setting);
    expect(slow.ageMs()).toBeGreaterThan(20);
  });
});
