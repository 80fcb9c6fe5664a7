/** Prints results for people: a table if the result begins with a list, and a line per field. */

export function toText(result: object): string {
  const [first, ...others] = Object.entries(result) as [string, unknown][];
  if (first === undefined || !isList(first[1])) return Object.entries(result).map(line).join('\n');
  const rows = first[1].length === 0 ? '(none)' : table(first[1]);
  return [rows, ...others.filter(([, value]) => value !== null).map(line)].join('\n');
}

function line([name, value]: [string, unknown]): string {
  return `${name}: ${cell(value)}`;
}

function isList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

function table(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const body = rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])));
  const widths = columns.map((column, place) =>
    Math.max(column.length, ...body.map((cells) => cells[place]?.length ?? 0)),
  );
  return [columns, ...body]
    .map((cells) =>
      cells
        .map((text, place) => text.padEnd(widths[place] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return escaped(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Output may contain any text: characters that control a terminal or change the text direction are shown as codes. */
function escaped(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
