import { describe, expect, it } from '@jest/globals';
import { keepTrying } from './growing-pauses.ts';

describe('trying again', () => {
  const never = new AbortController().signal;

  it('goes on until it works', async () => {
    let tries = 0;
    const failures: unknown[] = [];
    const work = async () => {
      tries += 1;
      if (tries < 2) throw new Error(`no ${tries}`);
      return 'done';
    };
    expect(await keepTrying(work, { signal: never, onFailure: (error) => failures.push(error) })).toBe(
      'done',
    );
    expect(failures).toEqual([new Error('no 1')]);
  });

  it('ends at once with a failure that does not pass', async () => {
    const work = () => Promise.reject(new Error('refused'));
    const onFailure = () => {
      throw new Error('not passing');
    };
    await expect(keepTrying(work, { signal: never, isPassing: () => false, onFailure })).rejects.toThrow(
      'refused',
    );
  });

  it('ends when it is stopped, also in a pause', async () => {
    const stopping = new AbortController();
    const work = () => Promise.reject(new Error('away'));
    const onFailure = () => stopping.abort();
    await expect(keepTrying(work, { signal: stopping.signal, onFailure })).rejects.toThrow('aborted');
  });
});
