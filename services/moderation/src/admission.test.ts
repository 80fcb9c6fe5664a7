import { describe, expect, it } from '@jest/globals';
import { createAdmission } from './admission.ts';

const never = new AbortController().signal;

/** Work that ends when the test says so. */
function work() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { run: () => promise, finish: () => resolve('done') };
}

describe('admission', () => {
  it('lets no more in than there are places, and the next one when a place is free', async () => {
    const admission = createAdmission({ atOnce: 1, mostWaiting: 5 });
    const first = work();
    let secondBegan = false;
    const one = admission.run(never, first.run);
    const two = admission.run(never, async () => {
      secondBegan = true;
      return 'second';
    });
    expect(admission.waiting()).toBe(1);
    expect(secondBegan).toBe(false);
    first.finish();
    expect(await one).toBe('done');
    expect(await two).toBe('second');
  });

  it('refuses at once with 503 when too many wait', async () => {
    const admission = createAdmission({ atOnce: 1, mostWaiting: 1 });
    const running = work();
    const accepted = [admission.run(never, running.run), admission.run(never, async () => 'waited')];
    await expect(admission.run(never, async () => 'no place')).rejects.toMatchObject({ status: 503 });
    running.finish();
    expect(await Promise.all(accepted)).toEqual(['done', 'waited']);
  });

  it('forgets whoever no longer waits', async () => {
    const admission = createAdmission({ atOnce: 1, mostWaiting: 1 });
    const running = work();
    const one = admission.run(never, running.run);
    const caller = new AbortController();
    const gone = admission.run(caller.signal, () => Promise.reject(new Error('must not run')));
    caller.abort();
    await expect(gone).rejects.toMatchObject({ status: 503 });
    expect(admission.waiting()).toBe(0);
    running.finish();
    await one;
  });

  it('keeps the place of work whose caller has gone until the work is done', async () => {
    const admission = createAdmission({ atOnce: 1, mostWaiting: 0 });
    const running = work();
    const caller = new AbortController();
    const abandoned = admission.run(caller.signal, running.run);
    caller.abort();
    await expect(abandoned).rejects.toMatchObject({ status: 503 });
    await expect(admission.run(never, async () => 'too early')).rejects.toMatchObject({ status: 503 });
  });

  it('frees the place of work that failed', async () => {
    const admission = createAdmission({ atOnce: 1, mostWaiting: 0 });
    await expect(admission.run(never, () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
    expect(await admission.run(never, async () => 'next')).toBe('next');
  });
});
