/** Results for people: a table where the result is a list, otherwise a line per field. */

export function toText(result: object): string {
  const [only, ...others] = Object.values(result) as unknown[];
  if (others.length === 0 && isList(only)) return only.length === 0 ? '(none)' : table(only);
  return Object.entries(result)
    .map(([name, value]) => `${name}: ${cell(value)}`)
    .join('\n');
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
  return typeof value === 'string' ? value : JSON.stringify(value);
}
