import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { composeKey, isWellFormedKey, lastFourOf } from './api-key.ts';

const digits = fc.array(fc.integer({ min: 0, max: 61 }), { minLength: 32, maxLength: 32 });
const modes = fc.constantFrom('TEST' as const, 'LIVE' as const, null);

describe('an API key', () => {
  it('has a prefix for its mode, so that secret scanners recognise it', () => {
    const zeros = Array.from({ length: 32 }, () => 0);
    expect(composeKey('TEST', zeros)).toMatch(/^pk_test_0{32}[0-9A-Za-z]{6}$/);
    expect(composeKey('LIVE', zeros)).toMatch(/^pk_live_0{32}[0-9A-Za-z]{6}$/);
    expect(composeKey(null, zeros)).toMatch(/^pk_0{32}[0-9A-Za-z]{6}$/);
  });

  it('is well-formed for all random digits, and ends with its last four characters', () => {
    fc.assert(
      fc.property(modes, digits, (mode, random) => {
        const key = composeKey(mode, random);
        expect(isWellFormedKey(key)).toBe(true);
        expect(key.endsWith(lastFourOf(key))).toBe(true);
      }),
    );
  });

  it('ends with the CRC32 of all other characters, as other programs compute it', () => {
    // Each checksum is a separate text, because the repository may contain no whole key (docs/secret-scanning).
    const letters = Array.from({ length: 32 }, (_, index) => index + 10);
    expect(composeKey('LIVE', letters)).toBe(['pk_live_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef', '05MxzH'].join(''));
    const zeros = letters.map(() => 0);
    expect(composeKey(null, zeros)).toBe(['pk_00000000000000000000000000000000', '0sTLlr'].join(''));
  });

  it('is not well-formed with one wrong character', () => {
    fc.assert(
      fc.property(digits, fc.nat(45), fc.nat(60), (random, place, shift) => {
        const key = composeKey('TEST', random);
        const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
        const old = alphabet.indexOf(key.charAt(place));
        fc.pre(old >= 0);
        const typo = key.slice(0, place) + alphabet[(old + 1 + shift) % 62] + key.slice(place + 1);
        expect(isWellFormedKey(typo)).toBe(false);
      }),
    );
  });

  it.each(['', 'pk_test_', 'sk_test_0000', 'pk_other_00000000000000000000000000000000000000'])(
    'is not %j',
    (text) => {
      expect(isWellFormedKey(text)).toBe(false);
    },
  );
});
