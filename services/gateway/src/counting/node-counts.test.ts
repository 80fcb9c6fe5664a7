import { describe, expect, it } from '@jest/globals';
import { type Addition, type CountAnswer, startNodeCounts } from './node-counts.ts';
import { NoAnswer } from './timeout-wheel.ts';

type Call = {
  readonly keys: readonly string[];
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
};

/** A node whose calls the test answers, with the timeouts that the test makes. */
function nodeUnderTest() {
  const calls: Call[] = [];
  const changes: boolean[] = [];
  const node = startNodeCounts({
    slotOf: (key) => key.charCodeAt(0),
    call: (additions) =>
      new Promise((resolve, reject) =>
        calls.push({
          keys: additions.map(({ key }) => key),
          answer: () => resolve(additions.map(() => ({ count: 1, msToEnd: 60_000 }))),
          fail: reject,
        }),
      ),
    timeouts: { wait: (call) => call, [Symbol.dispose]: () => {} },
    onChange: (isUp) => changes.push(isUp),
  });
  const ask = (key: string) => {
    const addition: Addition = { key, requests: 1, windowSeconds: 60 };
    return node.add(addition);
  };
  const comeUp = async () => {
    const probed = node.probe('probe');
    await settled();
    calls.shift()?.answer();
    await probed;
  };
  return { node, calls, changes, ask, comeUp };
}

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const silence = () => new NoAnswer('no answer within 100 ms');
const isCounted = (answer: CountAnswer) => typeof answer !== 'string';

describe('counts at one node', () => {
  it('that arrive together are one call for each slot', async () => {
    const { calls, ask } = nodeUnderTest();
    for (const key of ['a1', 'b1', 'a2', 'b2', 'a3']) void ask(key);
    await settled();
    expect(calls.map(({ keys }) => keys)).toEqual([
      ['a1', 'a2', 'a3'],
      ['b1', 'b2'],
    ]);
  });

  it('wait for the next call while two batches are under way', async () => {
    const { calls, ask } = nodeUnderTest();
    for (const key of ['a1', 'a2', 'a3', 'a4']) {
      void ask(key);
      await settled();
    }
    expect(calls.map(({ keys }) => keys)).toEqual([['a1'], ['a2']]);
    calls[0]?.answer();
    await settled();
    expect(calls.map(({ keys }) => keys)).toEqual([['a1'], ['a2'], ['a3', 'a4']]);
  });

  it('cost a call without an answer only the requests that waited for it', async () => {
    const { node, calls, ask, comeUp } = nodeUnderTest();
    await comeUp();
    for (let round = 0; round < 5; round += 1) {
      const slow = ask('a');
      await settled();
      calls.shift()?.fail(silence());
      expect(await slow).toBe('no-answer');
      await settled();
      expect(node.isUp()).toBe(true);
      const next = ask('a');
      await settled();
      calls.shift()?.answer();
      expect(isCounted(await next)).toBe(true);
      await settled();
    }
  });

  it('open the breaker after three calls in a row without an answer; what was not sent then is known as not counted', async () => {
    const { node, calls, changes, ask, comeUp } = nodeUnderTest();
    await comeUp();
    const asked: Promise<CountAnswer>[] = [];
    const askAndFailOldest = async (key: string) => {
      asked.push(ask(key));
      await settled();
      if (calls.length === 2) calls.shift()?.fail(silence());
      await settled();
    };
    for (const key of ['a1', 'a2', 'a3']) await askAndFailOldest(key);
    expect(node.isUp()).toBe(true);
    asked.push(ask('a4'));
    await settled();
    // Two calls are under way, so this one waits; the third silence opens the breaker.
    const unsent = ask('a5');
    calls.shift()?.fail(silence());
    expect(await unsent).toBe('not-asked');
    calls.shift()?.fail(silence());
    expect(await Promise.all(asked)).toEqual(Array.from(asked, () => 'no-answer'));
    expect(changes).toEqual([true, false]);
    await settled();
    calls.length = 0;
    await comeUp();
    expect(changes).toEqual([true, false, true]);
  });

  it('open it at once when the node refuses', async () => {
    const { node, calls, ask, comeUp } = nodeUnderTest();
    await comeUp();
    const refused = ask('a');
    await settled();
    calls.shift()?.fail(new Error('OOM command not allowed'));
    expect(await refused).toBe('no-answer');
    await settled();
    expect(node.isUp()).toBe(false);
  });

  it('are bounded in how many wait', async () => {
    const { ask } = nodeUnderTest();
    const answers: CountAnswer[] = [];
    for (let count = 0; count < 10_400; count += 1) void ask('a').then((answer) => answers.push(answer));
    await settled();
    expect(answers.filter((answer) => answer === 'not-asked')).toHaveLength(400);
  });
});
