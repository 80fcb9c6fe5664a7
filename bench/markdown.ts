/** Samples as cells and rows of a table. */

/** @param rows cells; the first column is a title, the others are figures */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join(
    '\n',
  );
}

/** The median over rounds, with the least and the most in brackets. */
export function overRounds(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => shown(value, digits));
  return `${shown(median(values), digits)} (${least}–${most})`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** The least value that at least so many percent do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

export function shown(value: number, digits = 0): string {
  return value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
