/**
 * Reads a CSV file of offers: its cells become places of an offer group with values of their own, and what people write in spreadsheets
 * becomes what the API takes. Whether the values are right is for the service to say (row-faults.ts).
 */
import type { Place } from '@offer-ads/contracts/places/cities';
import { CSV_LIST, listNames, ownNames, placeLimits } from '@offer-ads/contracts/values/places';

/** As far as the service takes the values of one order. */
export const MAX_CSV_BYTES = 200_000;

/** What the file may have. `place` stands for latitude and longitude: a town or a postcode. */
export const csvColumns = [
  'label',
  ...ownNames.filter((name) => name !== 'quote_id'),
  'latitude',
  'longitude',
  'place',
] as const;

export type CsvRow = {
  /** As a spreadsheet counts, with the heading as row 1. */
  readonly number: number;
  readonly cells: ReadonlyMap<string, string>;
};

export type ReadCsv =
  | { readonly ok: true; readonly rows: readonly CsvRow[] }
  | { readonly ok: false; readonly problem: string };

export function readOffersCsv(bytes: Uint8Array): ReadCsv {
  const problem = (text: string) => ({ ok: false, problem: text }) as const;
  if (bytes.length > MAX_CSV_BYTES)
    return problem(`The file is too large: at most ${MAX_CSV_BYTES / 1_000} kB can be read.`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return problem(
      'The file is not in UTF-8. In Excel choose “CSV UTF-8” when you save it; elsewhere choose the encoding UTF-8.',
    );
  }
  const records = recordsOf(text);
  if (records === null) return problem('A quotation mark is opened and never closed.');
  const [heading = [], ...others] = records;
  const columns = heading.map((name) => name.trim().toLowerCase());
  const names: readonly string[] = csvColumns;
  const unknown = columns.filter((name) => name !== '' && !names.includes(name));
  if (columns.every((name) => name === '' || unknown.includes(name)))
    return problem(`The first row must name the columns: ${csvColumns.join(', ')}.`);
  if (unknown.length > 0)
    return problem(
      `${unknown.length === 1 ? 'A column is' : 'Columns are'} not known: ${unknown.join(', ').slice(0, 200)}. Known are ${csvColumns.join(', ')}.`,
    );
  const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index);
  if (twice !== undefined) return problem(`The column ${twice} is there twice.`);
  const rows = others.flatMap((cells, index) =>
    cells.every((cell) => cell.trim() === '')
      ? []
      : [{ number: index + 2, cells: new Map(columns.map((name, at) => [name, written(cells[at] ?? '')])) }],
  );
  const tooLong = others.findIndex((cells) => cells.slice(columns.length).some((cell) => cell.trim() !== ''));
  if (tooLong >= 0)
    return problem(
      `Row ${tooLong + 2} has more cells than the first row. Put a text with a comma or semicolon in quotation marks.`,
    );
  if (rows.length === 0) return problem('The file has no offers: there is nothing below the first row.');
  if (rows.length > placeLimits.most)
    return problem(
      `The file has ${rows.length} offers, and at most ${placeLimits.most} can be bought at once. Split it.`,
    );
  return { ok: true, rows };
}

/** RFC 4180, separated by commas, or by semicolons as Excel does in many countries. Null: a quoted cell has no end. */
function recordsOf(text: string): string[][] | null {
  const [first = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const separator = first.split(';').length > first.split(',').length ? ';' : ',';
  const cell = new RegExp(`("[^"]*(?:""[^"]*)*"|[^${separator}\\r\\n]*)(${separator}|\\r\\n|\\r|\\n|$)`, 'y');
  const records: string[][] = [[]];
  while (cell.lastIndex < text.length) {
    const [, written = '', end = ''] = cell.exec(text) ?? [];
    if (written === '' && end === '') return null;
    if (written.startsWith('"') && !/^"[^"]*(?:""[^"]*)*"$/.test(written)) return null;
    const isQuoted = written.startsWith('"');
    records.at(-1)?.push(isQuoted ? written.slice(1, -1).replaceAll('""', '"') : written);
    if (end === separator && cell.lastIndex === text.length) records.at(-1)?.push('');
    if (end !== separator && cell.lastIndex < text.length) records.push([]);
  }
  return records;
}

/** An export writes an apostrophe before a text that a spreadsheet would compute. */
function written(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, '');
}

export type Catalogue = {
  readonly categories: readonly { readonly category_id: number; readonly category_name: string }[];
  readonly interests: readonly { readonly interest_id: number; readonly interest_name: string }[];
};

/** The place of a row as POST /offer-groups takes it. @param found the position of its column `place` */
export function placeOfRow({ cells }: CsvRow, found: Place | null, catalogue: Catalogue) {
  const own = ownNames.flatMap((name) => {
    const text = cells.get(name);
    return text === undefined ? [] : [[name, valueOf(name, text, catalogue)] as const];
  });
  return {
    latitude: found?.latitude ?? angleOf(cells.get('latitude')),
    longitude: found?.longitude ?? angleOf(cells.get('longitude')),
    label: cells.get('label')?.trim() ?? '',
    ...Object.fromEntries(own),
  };
}

function valueOf(name: string, text: string, { categories, interests }: Catalogue) {
  const idOf = (wanted: string, entries: readonly (readonly [number, string])[]) =>
    entries.find(([, known]) => known.toLowerCase() === wanted.toLowerCase())?.[0] ?? wanted;
  if (listNames.includes(name)) {
    const values = text.split(CSV_LIST).flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
    if (name === 'gender') return values;
    const known = interests.map((each) => [each.interest_id, each.interest_name] as const);
    return values.map((each) => idOf(each, known));
  }
  if (name === 'category_id') {
    const known = categories.map((each) => [each.category_id, each.category_name] as const);
    return idOf(text.trim(), known);
  }
  if (name === 'start_datetime' || name === 'expiry_datetime') return instantOf(text.trim());
  return name === 'radius' || name === 'image_offer_id' || name === 'image' || name === 'url'
    ? text.trim()
    : text;
}

/** A text stays as it is if it is no number, so that the service names it. */
function angleOf(text = ''): number | string {
  const number = text.trim().replace(/^([+-]?\d+),(\d+)$/, '$1.$2');
  return /^[+-]?\d{1,3}(\.\d{1,30})?$/.test(number) ? Number(number) : text;
}

/** A time without a zone is that of the browser. */
function instantOf(text: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}`);
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}

/** A file to begin with. @param now its offers start on a later day */
export function sampleCsv({ categories }: Pick<Catalogue, 'categories'>, now: Date): string {
  const day = (later: number) => new Date(now.getTime() + later * 86_400_000).toISOString().slice(0, 10);
  const category = categories[0]?.category_name ?? '1';
  return [
    'label,title,description,url,category_id,place,radius,gender,interests,start_datetime,expiry_datetime',
    `Soho,Two for one,"Bring a friend: the second main course is free.",https://example.com/soho,${category},W1D 3QF,5,,,${day(7)} 10:00,${day(14)} 22:00`,
    `Leeds,Free dessert,"With every main course, all evening.",https://example.com/leeds,${category},Leeds,10,Female|Male,,${day(7)} 10:00,${day(21)} 22:00`,
    '',
  ].join('\r\n');
}
