/** A title inside a sentence, which keeps its own direction: a right-to-left one would turn the words and points beside it. */
export function quoted(title: string): string {
  return `“\u2068${title}\u2069”`;
}
