import { describe, expect, it } from '@jest/globals';
import { linesOf, visualPieces } from './pdf-text.ts';

describe('lines', () => {
  const broken = (text: string, most = 9) =>
    linesOf(text, { width: 10, most, widthOf: (piece) => Array.from(piece).length });

  it('break between words, and inside a word only when it is longer than a line', () => {
    expect(broken('one two three')).toEqual(['one two', 'three']);
    expect(broken('a seventeenletters z')).toEqual(['a seventee', 'nletters z']);
  });

  it('break between the words of Thai, which has no spaces', () => {
    expect(broken('สวัสดีครับผมสบายดีไหมครับ')).toEqual(['สวัสดีครับ', 'ผมสบายดี', 'ไหมครับ']);
  });

  it('that have no room end with a sign for it', () => {
    expect(broken('one two three four five six', 2)).toEqual(['one two', 'three…']);
    expect(broken('x'.repeat(100), 1)).toEqual([`${'x'.repeat(9)}…`]);
  });
});

describe('the pieces of a line from left to right', () => {
  const piecesOf = (text: string) => visualPieces(text, 'regular');
  const shown = (text: string) =>
    piecesOf(text)
      .map((piece) => piece.text)
      .join('|');

  it('are the line itself where everything reads to the right', () => {
    expect(shown('Corner Cafe (2026)')).toBe('Corner Cafe (2026)');
    expect(shown('')).toBe('');
  });

  it('have the words of a right-to-left name together, its numbers and Latin words on the other side', () => {
    expect(shown('אבג דהו')).toBe('אבג דהו');
    expect(shown('אבג 12')).toBe('12|אבג ');
    expect(shown('Acme אבג דהו Ltd')).toBe('Acme |אבג דהו| Ltd');
  });

  it('have brackets that open the right way', () => {
    expect(shown('(אבג)')).toBe(')אבג(');
    expect(shown('مجانا (20%)')).toBe('(%|20|مجانا )');
  });
});
