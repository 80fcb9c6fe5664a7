/** More words make the search no better. */
const MAX_WORDS = 10;

/** The words of a search: letters and digits only, so that none is an operator of the search. Postgres makes their case equal, as that of titles. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
}
