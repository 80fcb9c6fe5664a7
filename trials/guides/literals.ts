/** Patterns of the texts that code can produce: `${…}` matches anything. */

/**
 * @param before matches the code in front of a text
 * @returns one pattern for each text
 */
export function literalsIn(code: string, before: RegExp): RegExp[] {
  const literals = [...code.matchAll(before)].flatMap(({ index, 0: { length } }) => {
    const [, quoted, template] =
      /^(?:'([^']*)'|`((?:[^`$]|\$\{[^}]*\})*)`)/.exec(code.slice(index + length)) ?? [];
    const text = quoted ?? template;
    return text === undefined ? [] : [text];
  });
  return literals.map((text) => {
    const parts = text.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.+')}$`);
  });
}
