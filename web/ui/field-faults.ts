/** Places the messages of a refusal at the fields of a form. */

export type FieldFaults = Readonly<Record<string, string>>;
type Placed = { readonly faults: FieldFaults; readonly rest: string | null };

/**
 * Servers name the fields: `email: must be an email address; rights.addresses.0: ...`, or `url must be ...`. Messages for other fields, and sentences without
 * a field, are for the whole form.
 * @param isField whether the form has a field of this name
 */
export function placeFaults(message: string, isField: (name: string) => boolean): Placed {
  const faults: Record<string, string> = {};
  let rest = '';
  /** The field of the last piece: a piece without a field continues it. */
  let last: string | null = null;
  for (const piece of message.split('; ')) {
    const [, name, line, words] = /^(?:\w+\.)??(\w+)(?:\.(\d+))?:? (.+)$/s.exec(piece) ?? [];
    if (name !== undefined && words !== undefined && isField(name)) {
      const text = plainWords(words);
      faults[name] ??= sentence(line === undefined ? text : `line ${Number(line) + 1} ${text}`);
      last = name;
    } else if (last !== null && name !== undefined && !piece.startsWith(`${name}:`)) {
      faults[last] = sentence(`${faults[last]?.replace(/\.$/, '')}; ${piece}`);
    } else {
      rest = rest === '' ? piece : `${rest}; ${piece}`;
      last = null;
    }
  }
  return { faults, rest: rest === '' ? null : sentence(rest) };
}

/** The messages that our contracts leave to zod, which are for developers. */
function plainWords(text: string): string {
  return text
    .replace(/^Invalid URL/, 'must be an address, such as https://shop.example')
    .replace(/^Too small: expected string to have >=1 characters/, 'must not be empty')
    .replace(
      /^Too (?:big|small): expected \w+ to (?:have|be) (<=|>=)(\d+)/,
      (_all, sign, limit) => `must have at ${sign === '<=' ? 'most' : 'least'} ${limit}`,
    );
}

/** With a capital and a full stop. The label of the field stands above it. */
function sentence(text: string): string {
  const capital = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
