/** Isolates the text direction of a title, so that a right-to-left title does not reorder the sentence around it. */
export function quoted(title: string): string {
  return `“\u2068${title}\u2069”`;
}
