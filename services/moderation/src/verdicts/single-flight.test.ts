import { describe, expect, it } from '@jest/globals';
import { createSingleFlight } from './single-flight.ts';

describe('a single flight', () => {
  it('does what is asked for at once by several only once', async () => {
    const once = createSingleFlight<number>();
    const { promise, resolve } = Promise.withResolvers<number>();
    let done = 0;
    const work = () => {
      done += 1;
      return promise;
    };
    const askers = [once('a', work), once('a', work), once('a', work)];
    resolve(7);
    expect(await Promise.all(askers)).toEqual([7, 7, 7]);
    expect(done).toBe(1);
    expect(await once('a', async () => 8)).toBe(8);
  });

  it('keeps what has another key apart', async () => {
    const once = createSingleFlight<string>();
    expect(await Promise.all(['a', 'b'].map((key) => once(key, async () => key)))).toEqual(['a', 'b']);
  });

  it('lets nobody fail for another: the next one tries, and is waited for by the rest', async () => {
    const once = createSingleFlight<string>();
    let tries = 0;
    const failing = once('a', () => Promise.reject(new Error('its caller left')));
    const others = [1, 2].map(() =>
      once('a', async () => {
        tries += 1;
        return 'done';
      }),
    );
    await expect(failing).rejects.toThrow('its caller left');
    expect(await Promise.all(others)).toEqual(['done', 'done']);
    expect(tries).toBe(1);
  });
});
