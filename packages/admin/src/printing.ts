/** Results for people: a table where the result begins with a list, and a line per field. */

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
  return typeof value === 'string' ? value : JSON.stringify(value);
}
