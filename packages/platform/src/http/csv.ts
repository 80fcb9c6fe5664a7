/** Tables as CSV files (RFC 4180), for spreadsheets: in UTF-8 with a byte order mark, without which Excel reads UTF-8 as another encoding. */
import type { Response } from 'express';

/** Texts may come from anybody. Numbers and instants are ours: a negative number begins like a formula and must stay a number. */
export type CsvColumn<Row> = { readonly title: string } & (
  | { readonly text: (row: Row) => string | null }
  | { readonly number: (row: Row) => number | `${number}` | null }
  | { readonly instant: (row: Row) => Date | string | null }
);

const BYTE_ORDER_MARK = '\uFEFF';

export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map((column) => cellOf(column, row)).join(','));
  return `${BYTE_ORDER_MARK}${[columns.map(({ title }) => quoted(title)).join(','), ...lines].join('\r\n')}\r\n`;
}

/** @param name without the ending; letters, digits and hyphens */
export function sendCsv<Row>(
  res: Response,
  name: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
): void {
  res
    .status(200)
    .set({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(csvOf(columns, rows));
}

function cellOf<Row>(column: CsvColumn<Row>, row: Row): string {
  if ('text' in column) return quoted(withoutFormula(column.text(row) ?? ''));
  if ('number' in column) return String(column.number(row) ?? '');
  const at = column.instant(row);
  return at === null ? '' : new Date(at).toISOString();
}

/**
 * Spreadsheets compute cells that begin with one of these characters. An apostrophe before them makes a cell a text (OWASP, CSV injection).
 * A text that has apostrophes there already gets one more, so that whoever reads the file can take it off again.
 */
function withoutFormula(text: string): string {
  return /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
