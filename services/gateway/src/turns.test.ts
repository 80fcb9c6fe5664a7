import { describe, expect, it } from '@jest/globals';
import { takeTurns } from './turns.ts';

/** Work that goes on until it is told to end. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let began = false;
  return {
    start: () => {
      began = true;
      return promise;
    },
    hasBegun: () => began,
    end: () => resolve('done'),
    fail: () => reject(new Error('failed')),
  };
}

/** A turn that comes too late is a matter of the last test alone, however slow the machine is. */
const timeStandsStill = () => 0;
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('taking turns', () => {
  it('lets two work on a subject at once, the others in the order in which they came, and other subjects go on', async () => {
    const turns = takeTurns(timeStandsStill);
    const works = Array.from({ length: 4 }, work);
    const results = Promise.allSettled(works.map((one) => turns('cafe', one.start)));
    const began = async () => {
      await soon();
      return works.map((one) => one.hasBegun());
    };
    expect(await began()).toEqual([true, true, false, false]);
    expect(await turns('bar', async () => 'at once')).toBe('at once');
    works[1]?.end();
    expect(await began()).toEqual([true, true, true, false]);
    works[0]?.fail();
    expect(await began()).toEqual([true, true, true, true]);
    works[2]?.end();
    works[3]?.end();
    expect(await results).toMatchObject([
      { reason: { message: 'failed' } },
      { value: 'done' },
      { value: 'done' },
      { value: 'done' },
    ]);
  });

  it('turns away who comes when a hundred wait, and goes on when they are through', async () => {
    const turns = takeTurns(timeStandsStill);
    const works = Array.from({ length: 102 }, work);
    const results = works.map((one) => turns('cafe', one.start));
    await expect(turns('cafe', async () => 'done')).rejects.toMatchObject({ status: 503 });
    for (const one of works) one.end();
    expect(new Set(await Promise.all(results))).toEqual(new Set(['done']));
    expect(await turns('cafe', async () => 'done')).toBe('done');
  });

  it('does nothing for who has waited so long that nobody waits for it any more', async () => {
    let nowMs = 0;
    const turns = takeTurns(() => nowMs);
    const [first, second, late] = [work(), work(), work()];
    const results = [first, second, late].map((one) => turns('cafe', one.start));
    await soon();
    nowMs = 2_001;
    first.end();
    await expect(results[2]).rejects.toMatchObject({ status: 503 });
    expect(late.hasBegun()).toBe(false);
    second.end();
    expect(await turns('cafe', async () => 'done')).toBe('done');
  });
});
