import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { oneLine } from './plain-text.ts';

describe('text from outside on one line', () => {
  it('contains no line break, whatever the input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(oneLine(text)).not.toMatch(/[\r\n\u2028\u2029\p{Cc}]/u);
      }),
    );
    expect(oneLine('Lunch\r\nBcc: everyone@example.com')).toBe('Lunch Bcc: everyone@example.com');
  });

  it('contains no character that changes the reading direction', () => {
    expect(oneLine('invoice\u202efdp.exe')).toBe('invoice fdp.exe');
  });

  it('keeps letters of every script, and emoji that consist of several characters', () => {
    expect(oneLine('  Café – 東京 👩‍👩‍👧  ')).toBe('Café – 東京 👩‍👩‍👧');
  });
});
