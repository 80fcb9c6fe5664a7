import { describe, expect, it } from '@jest/globals';
import { createDeadline } from '../calls/deadline.ts';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

/** Work that ends when the test says so. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  return {
    end: resolve,
    begun: () => begun,
    run: () => {
      begun += 1;
      return promise;
    },
  };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a semaphore for each key', () => {
  it('runs so much work of a key at once, the rest in order, and other keys beside it', async () => {
    const semaphore = createKeyedSemaphore({ of: 'tests', atOnce: 2, waiting: 9 });
    const works = Array.from({ length: 5 }, work);
    const other = work();
    const done = works.map((one) => semaphore.run('a', one.run));
    const apart = semaphore.run('b', other.run);
    await turn();
    expect(works.map((one) => one.begun())).toEqual([1, 1, 0, 0, 0]);
    expect(other.begun()).toBe(1);
    works[1]?.end();
    await turn();
    expect(works.map((one) => one.begun())).toEqual([1, 1, 1, 0, 0]);
    for (const one of [...works, other]) one.end();
    await Promise.all([...done, apart]);
    expect(works.map((one) => one.begun())).toEqual([1, 1, 1, 1, 1]);
  });

  it('refuses work at once when the queue is full, with Retry-After', async () => {
    const semaphore = createKeyedSemaphore({ of: 'tests', atOnce: 1, waiting: 1 });
    const [first, second] = [work(), work()];
    const done = [semaphore.run('a', first.run), semaphore.run('a', second.run)];
    await expect(semaphore.run('a', work().run)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
    first.end();
    second.end();
    await Promise.all(done);
    await semaphore.run('a', () => Promise.resolve());
  });

  it('runs the next work after one that failed', async () => {
    const semaphore = createKeyedSemaphore({ of: 'tests', atOnce: 1, waiting: 0 });
    await expect(semaphore.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await semaphore.run('a', () => Promise.resolve('next'))).toBe('next');
  });

  it('refuses work whose deadline passes in the queue, and does not run it later', async () => {
    const semaphore = createKeyedSemaphore({ of: 'tests', atOnce: 1, waiting: 1 });
    const [first, late] = [work(), work()];
    const done = semaphore.run('a', first.run);
    const waits = semaphore.run('a', late.run, createDeadline(5));
    await expect(waits).rejects.toMatchObject({ status: 503 });
    first.end();
    await done;
    await turn();
    expect(late.begun()).toBe(0);
  });
});
