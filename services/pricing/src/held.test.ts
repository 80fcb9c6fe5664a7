import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { hold, keepFresh } from './held.ts';

/** Reads that the test ends, in any order. */
function readsOnDemand() {
  const waiting: PromiseWithResolvers<string>[] = [];
  const read = () => {
    const turn = Promise.withResolvers<string>();
    waiting.push(turn);
    return turn.promise;
  };
  return { read, waiting };
}

describe('a held value', () => {
  it('is read at the start, which fails if the read fails', async () => {
    expect((await hold(async () => 'first')).current()).toBe('first');
    await expect(hold(async () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  });

  it('is the result of the last read, and stays when a read fails', async () => {
    const answers = [async () => 'first', async () => 'second', () => Promise.reject(new Error('away'))];
    const held = await hold(() => answers.shift()!());
    await held.refresh();
    expect(held.current()).toBe('second');
    await expect(held.refresh()).rejects.toThrow('away');
    expect(held.current()).toBe('second');
  });

  it('is the result of the read that began last, even when an older one ends later', async () => {
    const { read, waiting } = readsOnDemand();
    const opening = hold(read);
    waiting[0]!.resolve('first');
    const held = await opening;
    const older = held.refresh();
    const newer = held.refresh();
    waiting[2]!.resolve('newer');
    await newer;
    waiting[1]!.resolve('older');
    await older;
    expect(held.current()).toBe('newer');
  });
});

describe('the loop that reads held values again', () => {
  it('logs an outage once, and its end once', async () => {
    const lines: string[] = [];
    const logger = createLogger({
      service: 'pricing',
      level: 'info',
      destination: { write: (line: string) => lines.push(line) },
    });
    let away = false;
    const work = keepFresh(
      [{ refresh: async () => (away ? Promise.reject(new Error('mongo is away')) : undefined) }],
      logger,
    );
    await work();
    expect(lines).toEqual([]);
    away = true;
    await work();
    await work();
    expect(lines).toEqual([expect.stringContaining('"level":"warn"')]);
    away = false;
    await work();
    await work();
    expect(lines).toEqual([expect.anything(), expect.stringContaining('followed again')]);
  });
});
