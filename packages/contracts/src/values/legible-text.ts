/** Cleans user texts for documents: one line, no invisible characters, no marks that paint over other lines. */

/** More than the limits of an organisation's name and an offer's title. */
const MAX_CHARACTERS = 300;

/** Characters that are invisible or change the text direction. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\u115F\u1160\u3164\uFFA0]/gu;
/** Joiners are allowed: some scripts and emoji need them, and they are harmless. */
const joiners = /[\u200C\u200D]/u;
/** Some languages put a few marks on one letter. More of them would paint over other lines. */
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
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : line;
}
