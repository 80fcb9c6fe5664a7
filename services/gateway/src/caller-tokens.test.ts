import { beforeEach, describe, expect, it } from '@jest/globals';
import { rememberTokens } from './caller-tokens.ts';
import type { Caller, KeyFacts } from './domain/limits/admission.ts';

const caller = {} as Caller;

let nowMs: number;
let made: number;
let tokenFor: ReturnType<typeof rememberTokens>;

beforeEach(() => {
  nowMs = 0;
  made = 0;
  tokenFor = rememberTokens(
    () => String((made += 1)),
    () => nowMs,
  );
});

describe('a caller token', () => {
  it('is made once in five seconds for the same facts', () => {
    const facts = {} as KeyFacts;
    const tokens = [0, 4_999, 5_000].map((ms) => {
      nowMs = ms;
      return tokenFor('offers', facts, caller, 'network');
    });
    expect(tokens).toEqual(['1', '1', '2']);
  });

  it('is another for another service, for other facts, and for another network if it is for pricing', () => {
    const facts = {} as KeyFacts;
    const networks = ['one', 'one', 'two'];
    expect(networks.map((network) => tokenFor('offers', facts, caller, network))).toEqual(['1', '1', '1']);
    expect(networks.map((network) => tokenFor('pricing', facts, caller, network))).toEqual(['2', '2', '3']);
    expect(tokenFor('offers', {} as KeyFacts, caller, 'one')).toBe('4');
  });

  it('is remembered for at most 10,000 keys', () => {
    const first = {} as KeyFacts;
    tokenFor('offers', first, caller, 'one');
    for (let key = 1; key < 10_000; key += 1) tokenFor('offers', {} as KeyFacts, caller, 'one');
    expect(tokenFor('offers', first, caller, 'one')).toBe('10001');
  });
});
