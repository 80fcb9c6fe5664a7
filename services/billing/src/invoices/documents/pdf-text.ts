/** Text layout on a PDF page, which pdfkit does not do: line breaks, right-to-left words, characters that the font lacks. */
import bidiFactory from 'bidi-js';
import type { Font } from 'fontkit';

// Node loads the function itself; the types describe another build.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Replaces characters that the font lacks, such as emoji or Chinese. The reader sees that something is missing. */
export const MISSING = '\u25A1';

/** Replaces each character that the font cannot draw by one sign, however many code points it has. */
export function drawable(text: string, font: Font): string {
  const canDraw = (grapheme: string) =>
    Array.from(grapheme).every((character) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0));
  return Array.from(graphemes.segment(text), ({ segment }) => (canDraw(segment) ? segment : MISSING)).join(
    '',
  );
}

/** Breaks between words, and inside a word only if it is longer than a line. Text that does not fit ends with "…". */
export function linesOf(
  text: string,
  o: { readonly width: number; readonly most: number; readonly widthOf: (text: string) => number },
): string[] {
  const lines: string[] = [];
  let line = '';
  const fits = (candidate: string) => o.widthOf(candidate) <= o.width;
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = fits(word) ? [word] : piecesOf(word, fits);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  lines.push(line);
  if (lines.length <= o.most) return lines;
  return [...lines.slice(0, o.most - 1), shortened(lines[o.most - 1] ?? '', fits)];
}

function piecesOf(word: string, fits: (text: string) => boolean): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of graphemes.segment(word)) {
    if (piece !== '' && !fits(piece + segment)) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}

function shortened(line: string, fits: (text: string) => boolean): string {
  const letters = Array.from(graphemes.segment(line), ({ segment }) => segment);
  while (letters.length > 0 && !fits(`${letters.join('')}…`)) letters.pop();
  return `${letters.join('')}…`;
}

/**
 * The pieces of a line from left to right, each to be drawn separately (Unicode's bidirectional algorithm, rules L2 and L4). The font
 * reverses the letters of a right-to-left word; this function orders the words.
 */
export function visualPieces(line: string): string[] {
  const { levels } = bidi.getEmbeddingLevels(line);
  const runs: { level: number; text: string }[] = [];
  Array.from(line).reduce((at, character) => {
    const level = levels[at] ?? 0;
    const last = runs.at(-1);
    const isRightToLeft = level % 2 === 1;
    const seen = isRightToLeft ? (bidi.getMirroredCharacter(character) ?? character) : character;
    if (last !== undefined && last.level === level) last.text += seen;
    else runs.push({ level, text: seen });
    return at + character.length;
  }, 0);
  for (let level = Math.max(...runs.map((run) => run.level)); level > 0; level--) {
    reverseStretches(runs, (run) => run.level >= level);
  }
  return runs
    .flatMap((run) => (run.level % 2 === 1 ? run.text.split(/( +)/).toReversed() : [run.text]))
    .filter((piece) => piece !== '');
}

function reverseStretches<T>(items: T[], belongs: (item: T) => boolean): void {
  for (let from = 0; from < items.length; from++) {
    let to = from;
    while (to < items.length && belongs(items[to] as T)) to++;
    if (to > from) {
      items.splice(from, to - from, ...items.slice(from, to).toReversed());
      from = to;
    }
  }
}
