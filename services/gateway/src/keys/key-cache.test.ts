import { beforeEach, describe, expect, it } from '@jest/globals';
import { composeKey } from '../domain/keys/api-key.ts';
import type { KeyFacts } from '../domain/limits/admission.ts';
import { createKeyCache, type KeyCache, type SentKey, sha256Of } from './key-cache.ts';

const facts = { keyId: 1, organisationId: 7, email: 'a@b.test', tradingName: 'Cafe' } as KeyFacts;

let nowMs: number;
let lookUps: number;
let answer: () => Promise<KeyFacts | null>;
/** The time of the latest change, as the replica has read it; Infinity while it does not follow changes. */
let changedAtMs: number;
/** A well-formed key for each number. */
const textOf = (number: number) => composeKey('TEST', Array(32).fill(number));
const [one, two, three] = [textOf(1), textOf(2), textOf(3)];

function cacheWith(o: { maxBytes?: number; maxStrangers?: number } = {}): KeyCache {
  return createKeyCache({
    lookUp: () => {
      lookUps += 1;
      return answer();
    },
    changes: { noneSince: (sinceMs, organisationId) => organisationId === 7 && sinceMs > changedAtMs },
    maxBytes: 1e6,
    elapsedMs: () => nowMs,
    ...o,
  });
}
/** What each request does. */
const factsWith = (cache: KeyCache) => async (text: string) => cache.factsOf(sentTo(cache, text));

function sentTo(cache: KeyCache, text: string): SentKey {
  const key = cache.read(text);
  if (key === null) throw new Error('not a key');
  return key;
}

beforeEach(() => {
  nowMs = 0;
  lookUps = 0;
  answer = async () => facts;
  changedAtMs = Infinity;
});

describe('a look-up', () => {
  it('is used for less than one second while changes are not followed, and then repeated', async () => {
    const factsOf = factsWith(cacheWith());
    await factsOf(one);
    nowMs = 999;
    expect(await factsOf(one)).toBe(facts);
    expect(lookUps).toBe(1);
    nowMs = 1_000;
    await factsOf(one);
    expect(lookUps).toBe(2);
  });

  it('is used for ten minutes while changes are followed and there is none', async () => {
    changedAtMs = -1;
    const factsOf = factsWith(cacheWith());
    await factsOf(one);
    nowMs = 599_999;
    expect(await factsOf(one)).toBe(facts);
    expect(lookUps).toBe(1);
    nowMs = 600_000;
    await factsOf(one);
    expect(lookUps).toBe(2);
  });

  it('is repeated after a change, and then used again', async () => {
    changedAtMs = -1;
    const factsOf = factsWith(cacheWith());
    await factsOf(one);
    [nowMs, changedAtMs] = [5_000, 4_000];
    await factsOf(one);
    nowMs = 60_000;
    await factsOf(one);
    expect(lookUps).toBe(2);
  });

  it('that found no key is used for less than one second although changes are followed', async () => {
    changedAtMs = -1;
    answer = async () => null;
    const factsOf = factsWith(cacheWith());
    await factsOf(one);
    nowMs = 1_000;
    answer = async () => facts;
    expect(await factsOf(one)).toBe(facts);
  });

  it('expires one second after its start, however long it took', async () => {
    const slow = Promise.withResolvers<KeyFacts | null>();
    answer = () => slow.promise;
    const factsOf = factsWith(cacheWith());
    const first = factsOf(one);
    nowMs = 1_000;
    answer = async () => null;
    expect(await factsOf(one)).toBeNull();
    slow.resolve(facts);
    expect(await first).toBe(facts);
    // The late answer of the old look-up is not cached.
    nowMs = 1_001;
    expect(await factsOf(one)).toBeNull();
  });

  it('is shared by concurrent requests, also if it finds no key', async () => {
    answer = async () => null;
    const factsOf = factsWith(cacheWith());
    expect(await Promise.all([factsOf(one), factsOf(one), factsOf(one)])).toEqual([null, null, null]);
    expect(lookUps).toBe(1);
  });

  it('that fails is not cached', async () => {
    answer = async () => Promise.reject(new Error('store away'));
    const factsOf = factsWith(cacheWith());
    await expect(factsOf(one)).rejects.toThrow('store away');
    answer = async () => facts;
    expect(await factsOf(one)).toBe(facts);
  });
});

describe('a full cache', () => {
  it('drops the oldest of the made-up keys, and no key that exists', async () => {
    const cache = cacheWith({ maxStrangers: 2 });
    const factsOf = factsWith(cache);
    await factsOf(one);
    answer = async () => null;
    const madeUp = [textOf(11), textOf(12), textOf(13)];
    for (const text of [...madeUp, textOf(13), one]) await factsOf(text);
    expect(lookUps).toBe(4);
    await factsOf(textOf(11));
    expect(lookUps).toBe(5);
  });

  it('drops the key whose look-up is oldest, by bytes', async () => {
    const cache = cacheWith({ maxBytes: 2_000 });
    const factsOf = factsWith(cache);
    await factsOf(one);
    nowMs = 999;
    await factsOf(two);
    nowMs = 1_000;
    for (const text of [one, three, one]) await factsOf(text);
    expect(lookUps).toBe(4);
    expect([one, two, three].map((text) => cache.exists(sentTo(cache, text)))).toEqual([true, false, true]);
    await factsOf(two);
    expect(lookUps).toBe(5);
  });
});

describe('a key as it was sent', () => {
  it('has a hash only if its checksum is right', () => {
    const { read } = cacheWith();
    expect(read(one)?.sha256).toEqual(sha256Of(one));
    expect(read(`${one.slice(0, -1)}!`)).toBeNull();
    expect(read(undefined)).toBeNull();
  });
});

describe('a key that was found', () => {
  it('exists while the store is away, and one that was not found does not', async () => {
    const cache = cacheWith();
    const [factsOf, exists] = [factsWith(cache), (text: string) => cache.exists(sentTo(cache, text))];
    expect(exists(one)).toBe(false);
    await factsOf(one);
    answer = async () => null;
    await factsOf(two);
    expect([exists(one), exists(two)]).toEqual([true, false]);
    nowMs = 1_000;
    answer = async () => {
      throw new Error('store away');
    };
    await expect(factsOf(one)).rejects.toThrow('store away');
    expect(exists(one)).toBe(true);
  });
});
