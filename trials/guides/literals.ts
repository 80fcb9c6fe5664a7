/** Texts as they stand in code, as patterns of what they can become: `${…}` may be anything. */

/**
 * @param before what stands in front of such a text
 * @returns one pattern for each text that follows directly
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
