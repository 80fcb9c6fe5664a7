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
  it('of one turn of the event loop share a statement, and nothing is remembered', async () => {
    const all = Array.from({ length: 600 }, (_, number) => find(`key ${number % 100}`));
    await nextTurn();
    expect(asked().map(({ length }) => length)).toEqual([100]);
    answerAll(0);
    const expected = all.map((_, number) => ({ sha256: `key ${number % 100}` }));
    expect(await Promise.all(all)).toEqual(expected);
    const again = find('key 1');
    await nextTurn();
    statements[1]?.answer.resolve([]);
    expect(await again).toBeNull();
  });

  it('that come while four statements are under way share the next, of 256 keys at most', async () => {
    for (const sha256 of ['a', 'b', 'c', 'd']) {
      void find(sha256);
      await nextTurn();
    }
    const later = Array.from({ length: 300 }, (_, number) => find(`key ${number}`));
    await nextTurn();
    expect(asked()).toEqual([['a'], ['b'], ['c'], ['d']]);
    answerAll(0);
    await nextTurn();
    expect(asked().map(({ length }) => length)).toEqual([1, 1, 1, 1, 256]);
    for (const index of [1, 4]) answerAll(index);
    await nextTurn();
    answerAll(5);
    expect(asked().map(({ length }) => length)).toEqual([1, 1, 1, 1, 256, 44]);
    expect(await Promise.all(later)).toHaveLength(300);
  });

  it('do not wait for a slow statement', async () => {
    const slow = find('a');
    await nextTurn();
    const next = find('b');
    await nextTurn();
    expect(asked()).toEqual([['a'], ['b']]);
    answerAll(1);
    expect(await next).toEqual({ sha256: 'b' });
    answerAll(0);
    expect(await slow).toEqual({ sha256: 'a' });
  });

  it('fail together, and the next ones go on', async () => {
    const failing = find('a');
    await nextTurn();
    statements[0]?.answer.reject(new Error('store away'));
    await expect(failing).rejects.toThrow('store away');
    const next = find('a');
    await nextTurn();
    answerAll(1);
    expect(await next).toEqual({ sha256: 'a' });
  });

  it('end with a 503 after 750 ms, and one that has not started is not asked any more', async () => {
    const all: Promise<unknown>[] = [];
    for (const sha256 of ['a', 'b', 'c', 'd', 'e']) {
      all.push(find(sha256));
      await nextTurn();
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
