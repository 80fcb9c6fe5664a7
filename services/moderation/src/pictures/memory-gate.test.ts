import { describe, expect, it } from '@jest/globals';
import { createMemoryGate } from './memory-gate.ts';

const patient = new AbortController().signal;

/** Work of that size that ends when the test says so. */
function enter(gate: ReturnType<typeof createMemoryGate>, bytes: number, signal = patient) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { begun: false };
  const done = gate.run(bytes, signal, () => {
    state.begun = true;
    return promise;
  });
  return { state, done, finish: resolve };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the memory gate', () => {
  it('lets in what fits, and the next one when there is room', async () => {
    const gate = createMemoryGate(100);
    const [one, two, three] = [enter(gate, 60), enter(gate, 40), enter(gate, 50)];
    await settled();
    expect([one, two, three].map(({ state }) => state.begun)).toEqual([true, true, false]);
    two.finish();
    await settled();
    expect(three.state.begun).toBe(false);
    one.finish();
    await settled();
    expect(three.state.begun).toBe(true);
    three.finish();
    await Promise.all([one.done, two.done, three.done]);
  });

  it('lets nobody small overtake somebody large for ever', async () => {
    const gate = createMemoryGate(100);
    const [first, large, small] = [enter(gate, 50), enter(gate, 100), enter(gate, 10)];
    await settled();
    expect([large.state.begun, small.state.begun]).toEqual([false, false]);
    first.finish();
    await settled();
    expect([large.state.begun, small.state.begun]).toEqual([true, false]);
    large.finish();
    small.finish();
    await Promise.all([large.done, small.done]);
  });

  it('forgets whoever no longer waits, and lets in who stood behind', async () => {
    const gate = createMemoryGate(100);
    const caller = new AbortController();
    const [first, large, small] = [enter(gate, 50), enter(gate, 100, caller.signal), enter(gate, 10)];
    await settled();
    caller.abort(new Error('gone'));
    await expect(large.done).rejects.toThrow('gone');
    await settled();
    expect(small.state.begun).toBe(true);
    first.finish();
    small.finish();
    await Promise.all([first.done, small.done]);
  });

  it('has room again after work that failed', async () => {
    const gate = createMemoryGate(100);
    await expect(gate.run(100, patient, () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
    expect(await gate.run(100, patient, async () => 'next')).toBe('next');
  });

  it('refuses at once what will never fit', async () => {
    await expect(createMemoryGate(100).run(101, patient, async () => {})).rejects.toThrow(RangeError);
  });
});
