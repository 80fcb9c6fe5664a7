import { describe, expect, it } from '@jest/globals';
import { serviceUnavailable } from './faults.ts';
import { startWhenStoresServe } from './start-when-stores-serve.ts';

/** Fails with these errors before it starts. */
function starting(...failures: Error[]): () => Promise<string> {
  return async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'started';
  };
}

describe('a start', () => {
  it('waits for a store that is not available yet, and reports why', async () => {
    const problems: string[] = [];
    const start = starting(serviceUnavailable('postgres: starting up'));
    const report = (problem: string) => void problems.push(problem);
    expect(await startWhenStoresServe(start, { report })).toBe('started');
    expect(problems).toEqual(['postgres: starting up']);
  });

  it('fails at once for any other reason', async () => {
    const start = starting(new Error('the password is wrong'));
    await expect(startWhenStoresServe(start)).rejects.toThrow('the password is wrong');
  });

  it('fails with the last reason when the process is told to stop', async () => {
    const stopping = new AbortController();
    const start = starting(serviceUnavailable('mongo: cannot connect'));
    const starts = startWhenStoresServe(start, { signal: stopping.signal, report: () => stopping.abort() });
    await expect(starts).rejects.toThrow('mongo: cannot connect');
  });
});
