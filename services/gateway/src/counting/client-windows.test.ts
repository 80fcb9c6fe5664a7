import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countIn, type Limit, type Window } from '../domain/limits/fixed-window.ts';
import { countHere } from '../domain/limits/known-count.ts';
import { createWindowsMemory, windowsOf } from './client-windows.ts';

const limit: Limit = { name: 'test', requests: 60, windowSeconds: 1 };

/** Counts requests in a table of its own. */
function counter(buckets?: number) {
  const windows = windowsOf(createWindowsMemory(['test'], buckets === undefined ? {} : { buckets }), 'test');
  return (client: string, nowMs: number) =>
    windows.change(client, nowMs, (known) => countHere(known, limit, { nowMs, owes: 0 }));
}

describe('the windows of clients', () => {
  it('count as the arithmetic of one window says, whatever other clients do at the same time', () => {
    const step = fc.record({ client: fc.nat({ max: 5 }), afterMs: fc.nat({ max: 400 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const count = counter();
        const windows = new Map<string, Window>();
        let nowMs = 1;
        for (const { client, afterMs } of steps) {
          nowMs += afterMs;
          const name = 'x'.repeat(client);
          const window = countIn(windows.get(name), limit, nowMs);
          windows.set(name, window);
          expect(count(name, nowMs)).toEqual({ ...window, owed: 0 });
        }
      }),
    );
  });

  it('are separate for a hundred thousand clients', () => {
    const count = counter();
    const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    const all = Array.from({ length: 100_000 }, (_, index) => address(index));
    for (const client of all) count(client, 1);
    expect(all.filter((client) => count(client, 2).count !== 2)).toEqual([]);
  });

  it('make place in full memory, the one that ends first, and refuse nobody because of others', () => {
    const count = counter(1);
    for (let index = 0; index < 64; index += 1) count(`client-${index}`, 1 + index);
    expect(count('one more', 70)).toMatchObject({ count: 1 });
    expect(count('client-1', 71)).toMatchObject({ count: 2 });
    expect(count('client-0', 72)).toMatchObject({ count: 1 });
  });

  it('allow exactly the limit to a client whose requests come to several threads at once', async () => {
    const memory = createWindowsMemory(['test']);
    const go = new Int32Array(new SharedArrayBuffer(4));
    const [windows, threads, requests] = [200, 3, 300];
    const workers = Array.from(
      { length: threads },
      () =>
        new Worker(new URL('../../test/limits/count-in-thread.ts', import.meta.url), {
          workerData: { memory, go, threads, windows, requests },
          execArgv: [],
        }),
    );
    const answers = await Promise.all(
      workers.map(async (worker) => ((await once(worker, 'message')) as [number[]])[0]),
    );
    const allowed = Array.from({ length: windows }, (_, window) =>
      answers.reduce((sum, of) => sum + (of[window] ?? 0), 0),
    );
    // Each window of time has all requests of all threads, so exactly the limit of each is allowed.
    expect(allowed).toEqual(Array.from({ length: windows }, () => limit.requests));
  }, 60_000);
});
