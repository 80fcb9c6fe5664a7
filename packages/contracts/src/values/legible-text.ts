/** Texts of others, made fit to stand on a document: one line, nothing unseen, nothing that reaches beyond its place. */

/** Of an organisation's name or an offer's title, both of which have bounds of their own. */
const MOST_CHARACTERS = 300;

/** Turn the direction of reading, or are not seen at all. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\u115F\u1160\u3164\uFFA0]/gu;
/** Joiners shape some scripts and hold emoji together; they do no harm. */
const joiners = /[\u200C\u200D]/u;
/** Some languages put a few marks on one letter. More of them paint over other lines. */
const pileOfMarks = /(\p{M}{4})\p{M}+/gu;

export function legible(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(unseen, (character) => (joiners.test(character) ? character : ''))
    .replace(pileOfMarks, '$1')
    .replace(/ +/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…` : line;
}
