import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { findByHash } from './find-key.ts';

type Facts = { readonly sha256: string };
type Answer = PromiseWithResolvers<readonly Facts[]>;

let statements: { sha256s: readonly string[]; answer: Answer }[];
let find: (sha256: string) => Promise<Facts | null>;

const asked = () => statements.map(({ sha256s }) => sha256s);
/** In another order than asked for. */
const answerAll = (index: number) =>
  statements[index]?.answer.resolve(statements[index].sha256s.toReversed().map((sha256) => ({ sha256 })));
const nextTurn = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => {
  jest.useFakeTimers();
  statements = [];
  find = findByHash((sha256s) => {
    const answer: Answer = Promise.withResolvers();
    statements.push({ sha256s, answer });
    return answer.promise;
  });
});
afterEach(() => void jest.useRealTimers());

describe('look-ups of keys', () => {
  it('that come while a statement is under way share the next, of 256 keys at most, and nothing is remembered', async () => {
    const first = find('key 1');
    const later = Array.from({ length: 600 }, (_, number) => find(`key ${number % 300}`));
    expect(asked()).toEqual([['key 1']]);
    statements[0]?.answer.resolve([{ sha256: 'key 7' }]);
    for (const index of [1, 2]) {
      await nextTurn();
      answerAll(index);
    }
    expect(asked().map(({ length }) => length)).toEqual([1, 256, 44]);
    expect(await first).toBeNull();
    const expected = later.map((_, number) => ({ sha256: `key ${number % 300}` }));
    expect(await Promise.all(later)).toEqual(expected);
  });

  it('do not wait for a slow statement: the next begins beside it after 20 ms', async () => {
    const [slow, next] = [find('a'), find('b')];
    await jest.advanceTimersByTimeAsync(20);
    expect(asked()).toEqual([['a'], ['b']]);
    answerAll(1);
    expect(await next).toEqual({ sha256: 'b' });
    answerAll(0);
    expect(await slow).toEqual({ sha256: 'a' });
  });

  it('fail together, and the next ones go on', async () => {
    const failing = find('a');
    statements[0]?.answer.reject(new Error('store away'));
    await expect(failing).rejects.toThrow('store away');
    const next = find('a');
    answerAll(1);
    expect(await next).toEqual({ sha256: 'a' });
  });

  it('end with a 503 after 750 ms, and one that has not started is not asked any more', async () => {
    const all: Promise<unknown>[] = [];
    for (const sha256 of ['a', 'b', 'c', 'd', 'e']) {
      all.push(find(sha256));
      await jest.advanceTimersByTimeAsync(20);
    }
    expect(asked()).toEqual([['a'], ['b'], ['c'], ['d']]);
    const outcomes = Promise.allSettled(all);
    await jest.advanceTimersByTimeAsync(750);
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 503 } });
    for (const index of [0, 1, 2, 3]) answerAll(index);
    await nextTurn();
    expect(statements).toHaveLength(4);
  });
});
