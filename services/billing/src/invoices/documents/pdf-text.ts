/** Text layout on a PDF page. pdfkit shapes and measures a piece of one font and one direction; this module makes lines and pieces. */
import bidiFactory from 'bidi-js';
import type { Font } from 'fontkit';
import { fontFor, fonts, type Weight } from './fonts.ts';

// Node loads the function itself; the types describe another build.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('th', { granularity: 'word' });

/** Stands for characters that no font has. The reader sees that something is missing. */
export const MISSING = '\u25A1';

/** Replaces each character that no font can draw by one sign, however many code points it has. */
export function drawable(text: string, weight: Weight): string {
  const shown = ({ segment }: { segment: string }) =>
    fontFor(segment, weight) === undefined ? MISSING : segment;
  return Array.from(graphemes.segment(text), shown).join('');
}

/**
 * Breaks between words, and inside a word only if it is longer than a line, as Chinese or Thai text without spaces is. Text that does not
 * fit ends with "…".
 */
export function linesOf(
  text: string,
  o: { readonly width: number; readonly most: number; readonly widthOf: (text: string) => number },
): string[] {
  const widths = new Map<string, number>();
  const widthOf = (part: string) => {
    const width = widths.get(part) ?? o.widthOf(part);
    widths.set(part, width);
    return width;
  };
  const fits = (part: string) => widthOf(part) <= o.width;
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const add = (part: string) => {
    if (line !== '' && used + widthOf(part.trimEnd()) > o.width) {
      lines.push(line.trimEnd());
      line = '';
      used = 0;
    }
    line += part;
    used += widthOf(part);
  };
  for (const word of text.split(/(?<= )/)) {
    if (fits(word.trimEnd())) add(word);
    else {
      for (const part of segmentsOf(words, word)) {
        if (fits(part)) add(part);
        else segmentsOf(graphemes, part).forEach(add);
      }
    }
  }
  lines.push(line);
  if (lines.length <= o.most) return lines;
  const letters = segmentsOf(graphemes, lines[o.most - 1] ?? '');
  while (letters.length > 0 && o.widthOf(`${letters.join('')}…`) > o.width) letters.pop();
  return [...lines.slice(0, o.most - 1), `${letters.join('')}…`];
}

function segmentsOf(segmenter: Intl.Segmenter, text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** A part of a line with one font and one direction, which is that of its letters. */
export type Piece = { readonly text: string; readonly font: Font };

/**
 * The pieces of a line from left to right (Unicode's bidirectional algorithm, rules L2 and L4). fontkit reverses the letters of a
 * right-to-left piece; this function orders the pieces.
 */
export function visualPieces(line: string, weight: Weight): Piece[] {
  const embedding = bidi.getEmbeddingLevels(line);
  const places = new Map(bidi.getReorderedIndices(line, embedding).map((index, place) => [index, place]));
  const pieces: { text: string; readonly font: Font; readonly level: number; readonly place: number }[] = [];
  for (const { segment, index } of graphemes.segment(line)) {
    const level = embedding.levels[index] ?? 0;
    const last = pieces.at(-1);
    const font = fontFor(segment, weight) ?? fonts[weight];
    const text = level % 2 === 1 ? (bidi.getMirroredCharacter(segment) ?? segment) : segment;
    if (last?.level === level && last.font === font) last.text += text;
    else pieces.push({ text, font, level, place: places.get(index) ?? index });
  }
  return pieces.toSorted((a, b) => a.place - b.place);
}
