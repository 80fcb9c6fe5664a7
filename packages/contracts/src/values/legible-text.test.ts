import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { legible } from './legible-text.ts';

it.each([
  [
    'names in any alphabet are kept',
    'Zażółć Ελλάδα Привет חברה شركة 株式会社 👩‍👩‍👧',
    'Zażółć Ελλάδα Привет חברה شركة 株式会社 👩‍👩‍👧',
  ],
  ['control characters and line breaks become blanks', 'a\u0000b\r\nc\u2028d\te', 'a b c d e'],
  ['characters that change the text direction are removed', 'pay \u202Egpj.exe\u2066x\u200F', 'pay gpj.exex'],
  ['invisible characters are removed', 'a\u200Bb\uFEFFc\u00ADd\u3164', 'abcd'],
  ['half a character is replaced', 'a\uD800b', 'a\uFFFDb'],
  ['more than four marks on a letter are removed', `a${'\u0308'.repeat(50)}`, `a${'\u0308'.repeat(4)}`],
  ['a long text is cut', 'x'.repeat(1_000), `${'x'.repeat(299)}…`],
])('%s', (_, text, shown) => expect(legible(text)).toBe(shown));

it('any text becomes one bounded line without characters that change the text direction', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const shown = legible(text);
      expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/u);
      expect(Array.from(shown).length).toBeLessThanOrEqual(300);
      expect(shown.isWellFormed()).toBe(true);
    }),
  );
});
