/** Recognises misspelt names of fields. If they were ignored, an offer for a few would be sold for everybody (decision 49, misspelt names). */

/** Long names are cut: what follows cannot make them one of ours. */
const READ_LENGTH = 100;
const escapes = /%(?:25)*[\da-f]{2}|\\u[\da-f]{4}|&#x?[\da-f]+;/g;

/**
 * @param names of the fields, such as `gender[]`
 * @returns the one that a name means which differs from it only by case, brackets, quotes, escapes, digits and one letter, so that
 * singular and plural are alike; undefined if it means none
 */
export function meantName<Name extends string>(given: string, names: readonly Name[]): Name | undefined {
  const exact = names.find((name) => name === given);
  if (exact !== undefined) return exact;
  const letters = lettersOf(given);
  const known = names.map((name) => [name, lettersOf(name)] as const);
  const meant =
    known.find(([, each]) => each === letters) ?? known.find(([, each]) => differByOneLetter(each, letters));
  return meant?.[0];
}

function lettersOf(name: string): string {
  return name
    .slice(0, READ_LENGTH)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(escapes, '')
    .replace(/^\P{L}+/u, '')
    .replace(/[[{(].*$/s, '')
    .replaceAll(/\P{L}/gu, '');
}

/** One is left out, added, replaced, or changed places with the next. */
function differByOneLetter(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at];
  return (
    a.slice(at + 1) === b.slice(at + 1) ||
    a.slice(at + 1) === b.slice(at) ||
    a.slice(at) === b.slice(at + 1) ||
    (isSwapped && a.slice(at + 2) === b.slice(at + 2))
  );
}
