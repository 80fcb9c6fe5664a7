import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KeyFacts } from '../domain/limits/admission.ts';
import { lookUpInBatches } from './look-up-in-batches.ts';

type Answer = PromiseWithResolvers<readonly (KeyFacts | null)[]>;

let batches: { numbers: number[]; answer: Answer }[];
let lookUp: (number: number) => Promise<KeyFacts | null>;

const factsOf = (keyId: number) => ({ keyId }) as KeyFacts;
const answerAll = (index: number) => {
  const { numbers = [], answer } = batches[index] ?? {};
  answer?.resolve(numbers.map(factsOf));
};

beforeEach(() => {
  jest.useFakeTimers();
  batches = [];
  const find = lookUpInBatches((sha256s) => {
    const answer: Answer = Promise.withResolvers();
    batches.push({ numbers: sha256s.map((sha256) => sha256.readUInt32BE()), answer });
    return answer.promise;
  });
  lookUp = (number) => {
    const sha256 = Buffer.alloc(32);
    sha256.writeUInt32BE(number);
    return find(sha256);
  };
});
afterEach(() => void jest.useRealTimers());

describe('look-ups', () => {
  it('start at once, two statements at a time, and those that come meanwhile are one batch', async () => {
    const all = [1, 2, 3, 4, 5].map((number) => lookUp(number));
    expect(batches.map(({ numbers }) => numbers)).toEqual([[1], [2]]);
    answerAll(1);
    expect(await all[1]).toEqual(factsOf(2));
    expect(batches[2]?.numbers).toEqual([3, 4, 5]);
    answerAll(0);
    answerAll(2);
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5].map(factsOf));
  });

  it('are at most 256 in one statement', async () => {
    const all = Array.from({ length: 300 }, (_, number) => lookUp(number));
    answerAll(0);
    await all[0];
    expect(batches[2]?.numbers).toHaveLength(256);
    answerAll(1);
    await all[1];
    expect(batches[3]?.numbers).toHaveLength(42);
  });

  it('fail together, and the next ones go on', async () => {
    const [first, second] = [lookUp(1), lookUp(2)];
    const third = lookUp(3);
    batches[0]?.answer.reject(new Error('store away'));
    await expect(first).rejects.toThrow('store away');
    answerAll(1);
    answerAll(2);
    expect([await second, await third]).toEqual([factsOf(2), factsOf(3)]);
  });

  it('end with a 503 after 750 ms, and one that has not started is not asked any more', async () => {
    const all = [1, 2, 3].map((number) => lookUp(number));
    const outcomes = Promise.allSettled(all);
    jest.advanceTimersByTime(750);
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 503 } });
    answerAll(0);
    await lookUpInBatches(async () => [])(Buffer.alloc(32));
    expect(batches).toHaveLength(2);
  });

  it('are refused with a 503 when 20,000 wait', async () => {
    const all = Array.from({ length: 20_002 }, (_, number) => lookUp(number));
    await expect(lookUp(20_003)).rejects.toMatchObject({ status: 503 });
    const outcomes = Promise.allSettled(all);
    jest.advanceTimersByTime(750);
    await outcomes;
  });
});
