import { describe, expect, it } from '@jest/globals';
import { serviceUnavailable } from './faults.ts';
import { startWhenStoresServe } from './patient-start.ts';

/** Fails so many times before it starts. */
function starting(failures: readonly Error[]): () => Promise<string> {
  const left = [...failures];
  return async () => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return 'started';
  };
}

describe('a start', () => {
  it('waits for a store that cannot serve yet, and tells why', async () => {
    const problems: string[] = [];
    const start = starting([serviceUnavailable('postgres: starting up')]);
    const report = (problem: string) => void problems.push(problem);
    expect(await startWhenStoresServe(start, { report })).toBe('started');
    expect(problems).toEqual(['postgres: starting up']);
  });

  it('fails at once for any other reason', async () => {
    const start = starting([new Error('the password is wrong')]);
    await expect(startWhenStoresServe(start)).rejects.toThrow('the password is wrong');
  });

  it('waits no longer once the process is told to stop', async () => {
    const stopping = new AbortController();
    const report = () => stopping.abort();
    const start = starting([serviceUnavailable('mongo: cannot connect'), serviceUnavailable('still not')]);
    const starts = startWhenStoresServe(start, { signal: stopping.signal, report });
    await expect(starts).rejects.toThrow('still not');
  });
});
