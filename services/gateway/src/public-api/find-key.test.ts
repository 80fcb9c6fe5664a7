import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { findByHash } from './find-key.ts';

type Answer = PromiseWithResolvers<readonly (number | null)[]>;

let statements: { numbers: number[]; answer: Answer }[];
let find: (number: number) => Promise<number | null>;

const answerAll = (index: number) => statements[index]?.answer.resolve(statements[index].numbers);
const nextTurn = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => {
  jest.useFakeTimers();
  statements = [];
  const findHash = findByHash<number>((sha256s) => {
    const answer: Answer = Promise.withResolvers();
    statements.push({ numbers: sha256s.map((sha256) => sha256.readUInt32BE()), answer });
    return answer.promise;
  });
  find = (number) => {
    const sha256 = Buffer.alloc(32);
    sha256.writeUInt32BE(number);
    return findHash(sha256);
  };
});
afterEach(() => void jest.useRealTimers());

describe('look-ups of keys', () => {
  it('that come while a statement is under way share the next, of 256 keys at most, and nothing is remembered', async () => {
    const first = find(1);
    const later = Array.from({ length: 300 }, (_, number) => find(number % 200));
    expect(statements.map(({ numbers }) => numbers)).toEqual([[1]]);
    statements[0]?.answer.resolve([null]);
    for (const index of [1, 2]) {
      await nextTurn();
      answerAll(index);
    }
    expect(statements.slice(1).map(({ numbers }) => numbers.length)).toEqual([256, 44]);
    expect(await first).toBeNull();
    expect(await Promise.all(later)).toEqual(later.map((_, number) => number % 200));
  });

  it('do not wait for a slow statement: the next begins beside it after 20 ms', async () => {
    const [slow, next] = [find(1), find(2)];
    await jest.advanceTimersByTimeAsync(20);
    expect(statements.map(({ numbers }) => numbers)).toEqual([[1], [2]]);
    answerAll(1);
    expect(await next).toBe(2);
    answerAll(0);
    expect(await slow).toBe(1);
  });

  it('fail together, and the next ones go on', async () => {
    const failing = find(1);
    statements[0]?.answer.reject(new Error('store away'));
    await expect(failing).rejects.toThrow('store away');
    const next = find(2);
    answerAll(1);
    expect(await next).toBe(2);
  });

  it('end with a 503 after 750 ms, and one that has not started is not asked any more', async () => {
    const all: Promise<unknown>[] = [];
    for (const number of [1, 2, 3, 4, 5]) {
      all.push(find(number));
      await jest.advanceTimersByTimeAsync(20);
    }
    expect(statements.map(({ numbers }) => numbers)).toEqual([[1], [2], [3], [4]]);
    const outcomes = Promise.allSettled(all);
    await jest.advanceTimersByTimeAsync(750);
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 503 } });
    for (const index of [0, 1, 2, 3]) answerAll(index);
    await nextTurn();
    expect(statements).toHaveLength(4);
  });

  it('are refused with a 503 when 10,000 wait', async () => {
    const outcomes = Promise.allSettled(Array.from({ length: 10_001 }, (_, number) => find(number)));
    await expect(find(10_001)).rejects.toMatchObject({ status: 503 });
    await jest.advanceTimersByTimeAsync(750);
    await outcomes;
  });
});
