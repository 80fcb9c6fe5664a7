import { beforeEach, describe, expect, it } from '@jest/globals';
import { composeKey } from '../domain/keys/api-key.ts';
import type { KeyFacts } from '../domain/limits/admission.ts';
import { type KeyLookUp, rememberLookUps, type SentKey, sha256Of } from './key-look-up.ts';

const facts = { keyId: 1 } as KeyFacts;

let nowMs: number;
let lookUps: number;
let answer: () => Promise<KeyFacts | null>;
const clocked = { elapsedMs: () => nowMs };
/** A well-formed key for each number. */
const textOf = (number: number) => composeKey('TEST', Array(32).fill(number));
const [one, two, three] = [textOf(1), textOf(2), textOf(3)];
/** What each request does. */
const lookUpWith = (keys: KeyLookUp) => async (text: string) => keys.lookUp(sentTo(keys, text));

function sentTo(keys: KeyLookUp, text: string): SentKey {
  const key = keys.read(text);
  if (key === null) throw new Error('not a key');
  return key;
}

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
    const lookUp = lookUpWith(rememberLookUps(find, clocked));
    await lookUp(one);
    nowMs = 999;
    expect(await lookUp(one)).toBe(facts);
    expect(lookUps).toBe(1);
    nowMs = 1_000;
    await lookUp(one);
    expect(lookUps).toBe(2);
  });

  it('expires one second after the start of the look-up, however long that took', async () => {
    const slow = Promise.withResolvers<KeyFacts | null>();
    answer = () => slow.promise;
    const lookUp = lookUpWith(rememberLookUps(find, clocked));
    const first = lookUp(one);
    nowMs = 1_000;
    answer = async () => null;
    expect(await lookUp(one)).toBeNull();
    slow.resolve(facts);
    expect(await first).toBe(facts);
    // The late answer of the old look-up is not cached.
    nowMs = 1_001;
    expect(await lookUp(one)).toBeNull();
  });

  it('is shared by concurrent requests, and also caches that a key does not exist', async () => {
    answer = async () => null;
    const lookUp = lookUpWith(rememberLookUps(find, clocked));
    expect(await Promise.all([lookUp(one), lookUp(one), lookUp(one)])).toEqual([null, null, null]);
    expect(lookUps).toBe(1);
  });

  it('does not cache a failure', async () => {
    answer = async () => Promise.reject(new Error('store away'));
    const lookUp = lookUpWith(rememberLookUps(find, clocked));
    await expect(lookUp(one)).rejects.toThrow('store away');
    answer = async () => facts;
    expect(await lookUp(one)).toBe(facts);
  });

  it('drops the oldest when made-up keys fill the cache', async () => {
    const lookUp = lookUpWith(rememberLookUps(find, { ...clocked, maxKeys: 2 }));
    for (const text of [one, two, three]) await lookUp(text);
    await lookUp(three);
    expect(lookUps).toBe(3);
    await lookUp(one);
    expect(lookUps).toBe(4);
  });

  it('drops a key later if it was looked up again', async () => {
    const lookUp = lookUpWith(rememberLookUps(find, { ...clocked, maxKeys: 2 }));
    await lookUp(one);
    nowMs = 999;
    await lookUp(two);
    nowMs = 1_000;
    for (const text of [one, three, one]) await lookUp(text);
    expect(lookUps).toBe(4);
    await lookUp(two);
    expect(lookUps).toBe(5);
  });
});

describe('a key as it was sent', () => {
  it('has a hash only if its checksum is right', () => {
    const { read } = rememberLookUps(find);
    expect(read(one)?.sha256).toEqual(sha256Of(one));
    expect(read(`${one.slice(0, -1)}!`)).toBeNull();
    expect(read(undefined)).toBeNull();
  });
});

describe('a key that was found', () => {
  it('stays known while the store is away, and an unknown key does not become known', async () => {
    const keys = rememberLookUps(find, clocked);
    const [lookUp, wasFound] = [lookUpWith(keys), (text: string) => keys.wasFound(sentTo(keys, text))];
    expect(wasFound(one)).toBe(false);
    await lookUp(one);
    answer = async () => null;
    await lookUp(two);
    expect([wasFound(one), wasFound(two)]).toEqual([true, false]);
    nowMs = 1_000;
    answer = async () => {
      throw new Error('store away');
    };
    await expect(lookUp(one)).rejects.toThrow('store away');
    expect(wasFound(one)).toBe(true);
  });

  it('is forgotten when enough later keys were found', async () => {
    const keys = rememberLookUps(find, { ...clocked, maxFound: 2 });
    for (const text of [one, two, one, three]) {
      nowMs += 1_000;
      await lookUpWith(keys)(text);
    }
    expect([one, two, three].map((text) => keys.wasFound(sentTo(keys, text)))).toEqual([true, false, true]);
  });
});
