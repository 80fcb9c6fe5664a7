/**
 * What pdfkit's text layout does not know: text that is read from right to left, and several fonts in one line. pdfkit breaks the lines, and
 * fontkit shapes the letters.
 */
import type { EventEmitter } from 'node:events';
import bidiFactory from 'bidi-js';
import type { Font } from 'fontkit';
import * as pdfkit from 'pdfkit';
import { fontFor, type Weight } from './fonts.ts';

// Node loads the function itself; the types describe another build.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('th', { granularity: 'word' });

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
    const font = fontFor(segment, weight);
    const text = level % 2 === 1 ? (bidi.getMirroredCharacter(segment) ?? segment) : segment;
    if (last?.level === level && last.font === font) last.text += text;
    else pieces.push({ text, font, level, place: places.get(index) ?? index });
  }
  // fontkit knows the direction by the letters.
  for (const piece of pieces)
    if (piece.level % 2 === 1 && !/\p{L}/u.test(piece.text))
      piece.text = Array.from(graphemes.segment(piece.text), ({ segment }) => segment)
        .toReversed()
        .join('');
  return pieces.toSorted((a, b) => a.place - b.place);
}

/** pdfkit exports its line wrapper; its types do not. It asks a document for the widths of words and for its place on the page. */
type Wrapper = EventEmitter & { wrap: (text: string, options: object) => void };
const { LineWrapper } = pdfkit as unknown as {
  LineWrapper: new (
    document: object,
    options: { width: number; height: number; ellipsis: boolean },
  ) => Wrapper;
};

/** The lines of a text, as pdfkit breaks them. Text that does not fit into `most` lines ends with "…". */
export function linesOf(
  text: string,
  o: { readonly width: number; readonly most: number; readonly widthOf: (text: string) => number },
): string[] {
  const lines: string[] = [];
  // Heights are counted in lines.
  const page = {
    x: 0,
    y: 0,
    page: { maxY: () => o.most },
    currentLineHeight: () => 1,
    widthOfString: (word: string) => o.widthOf(drawn(word)),
  };
  const wrapper = new LineWrapper(page, { width: o.width, height: o.most, ellipsis: true });
  wrapper.on('line', (line: string) => {
    lines.push(drawn(line).trimEnd());
    page.y += 1;
  });
  wrapper.wrap(breakable(text), {});
  return lines;
}

/** A sign without width, between the words of Thai, which has no spaces. */
const MAY_BREAK = '\u200B';

const drawn = (text: string) => text.replaceAll(MAY_BREAK, '');

function breakable(text: string): string {
  return text.replace(/\p{Script=Thai}+/gu, (thai) =>
    Array.from(words.segment(thai), ({ segment }) => segment).join(MAY_BREAK),
  );
}
