/** More words make the search no better. */
const MAX_WORDS = 10;

/** The words of a search: letters and digits only, so that none is an operator of the search. Lower and upper case are equal. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).slice(0, MAX_WORDS);
}
