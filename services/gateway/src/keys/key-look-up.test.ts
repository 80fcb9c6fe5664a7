import { beforeEach, describe, expect, it } from '@jest/globals';
import { composeKey } from '../domain/keys/api-key.ts';
import type { KeyFacts } from '../domain/limits/admission.ts';
import { hashOfSentKey, noteFoundKeys, rememberLookUps, sha256Of } from './key-look-up.ts';

const key = sha256Of('a key');
const facts = { keyId: 1 } as KeyFacts;

let nowMs: number;
let lookUps: number;
let answer: () => Promise<KeyFacts | null>;
const clocked = { elapsedMs: () => nowMs };
const find = () => {
  lookUps += 1;
  return answer();
};

beforeEach(() => {
  nowMs = 0;
  lookUps = 0;
  answer = async () => facts;
});

describe('a cached look-up', () => {
  it('is used for less than one second, and then repeated', async () => {
    const lookUp = rememberLookUps(find, clocked);
    await lookUp(key);
    nowMs = 999;
    expect(await lookUp(key)).toBe(facts);
    expect(lookUps).toBe(1);
    nowMs = 1_000;
    await lookUp(key);
    expect(lookUps).toBe(2);
  });

  it('expires one second after the start of the look-up, however long that took', async () => {
    const slow = Promise.withResolvers<KeyFacts | null>();
    answer = () => slow.promise;
    const lookUp = rememberLookUps(find, clocked);
    const first = lookUp(key);
    nowMs = 1_000;
    answer = async () => null;
    expect(await lookUp(key)).toBeNull();
    slow.resolve(facts);
    expect(await first).toBe(facts);
    // The late answer of the old look-up is not cached.
    nowMs = 1_001;
    expect(await lookUp(key)).toBeNull();
  });

  it('is shared by concurrent requests, and also caches that a key does not exist', async () => {
    answer = async () => null;
    const lookUp = rememberLookUps(find, clocked);
    expect(await Promise.all([lookUp(key), lookUp(key), lookUp(key)])).toEqual([null, null, null]);
    expect(lookUps).toBe(1);
  });

  it('does not cache a failure', async () => {
    answer = async () => Promise.reject(new Error('store away'));
    const lookUp = rememberLookUps(find, clocked);
    await expect(lookUp(key)).rejects.toThrow('store away');
    answer = async () => facts;
    expect(await lookUp(key)).toBe(facts);
  });

  it('drops the oldest when made-up keys fill the cache', async () => {
    const lookUp = rememberLookUps(find, { ...clocked, mostKeys: 2 });
    for (const text of ['one', 'two', 'three']) await lookUp(sha256Of(text));
    await lookUp(sha256Of('three'));
    expect(lookUps).toBe(3);
    await lookUp(sha256Of('one'));
    expect(lookUps).toBe(4);
  });

  it('drops a key later if it was looked up again', async () => {
    const lookUp = rememberLookUps(find, { ...clocked, mostKeys: 2 });
    await lookUp(sha256Of('one'));
    nowMs = 999;
    await lookUp(sha256Of('two'));
    nowMs = 1_000;
    for (const text of ['one', 'three', 'one']) await lookUp(sha256Of(text));
    expect(lookUps).toBe(4);
    await lookUp(sha256Of('two'));
    expect(lookUps).toBe(5);
  });
});

describe('a key as it was sent', () => {
  it('has a hash only if its checksum is right', () => {
    const text = composeKey(
      'TEST',
      Array.from({ length: 32 }, (_, index) => index),
    );
    expect(hashOfSentKey(text)).toEqual(sha256Of(text));
    expect(hashOfSentKey(`${text.slice(0, -1)}!`)).toBeNull();
    expect(hashOfSentKey(undefined)).toBeNull();
  });
});

describe('a key that was found', () => {
  it('stays known while the store is away, and an unknown key does not become known', async () => {
    const { find: lookUp, wasFound } = noteFoundKeys(find);
    const other = sha256Of('another key');
    expect(wasFound(key)).toBe(false);
    await lookUp(key);
    answer = async () => null;
    await lookUp(other);
    expect([wasFound(key), wasFound(other)]).toEqual([true, false]);
    answer = async () => {
      throw new Error('store away');
    };
    await expect(lookUp(key)).rejects.toThrow('store away');
    expect(wasFound(key)).toBe(true);
  });

  it('is forgotten when enough later keys were found', async () => {
    const { find: lookUp, wasFound } = noteFoundKeys(find, 2);
    const keys = ['a', 'b', 'c'].map(sha256Of);
    for (const text of ['a', 'b', 'a', 'c']) await lookUp(sha256Of(text));
    expect(keys.map(wasFound)).toEqual([true, false, true]);
  });
});
