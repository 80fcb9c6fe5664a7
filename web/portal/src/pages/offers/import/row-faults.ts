/** The refusal of a file of offers, as faults of its rows and columns. */
import { csvColumns } from './offers-csv.ts';

export type RowFault = {
  /** Null: of the whole file. */
  readonly row: number | null;
  /** '' if it is not of one column. */
  readonly column: string;
  readonly text: string;
};

/** @param rows the numbers of the rows, in the order of the places that were sent */
export function rowFaults(message: string, rows: readonly number[]): readonly RowFault[] {
  const said = message.replace(/\.$/, '');
  const ofRows = /^(places\[\d+\](?: ".*")?(?:, places\[\d+\](?: ".*")?)*): (.*)$/s.exec(said);
  if (ofRows !== null) {
    const [, named = '', what = ''] = ofRows;
    return [...named.matchAll(/places\[(\d+)\]/g)].map(([, index]) =>
      faultIn(rows[Number(index)], what, rows),
    );
  }
  return said.split('; ').map((part) => {
    const [, index, what] = /^places\[(\d+)\][. ](.*)$/s.exec(part) ?? [];
    return what === undefined ? faultIn(undefined, part, rows) : faultIn(rows[Number(index)], what, rows);
  });
}

/** Instead of words for developers. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^must be an id from GET \/categories$/, 'must be the name or the number of a category'],
  [/^must be ids from GET \/interests.*$/, 'must be names or numbers of interests, with | between them'],
  [/^must be a number from/, 'is missing, or is no number such as 51.5074: it must be from'],
];

function faultIn(row: number | undefined, what: string, rows: readonly number[]): RowFault {
  const [name = '', ...others] = what.split(' ');
  const column = name.replace('[]', '');
  if (column === 'image')
    return {
      row: row ?? null,
      column: '',
      text: what.includes('file name')
        ? 'image names a picture that is not among those chosen above'
        : `${what}: choose a picture above, or fill in image or image_offer_id`,
    };
  const isColumn = (csvColumns as readonly string[]).includes(column);
  const text = (isColumn ? others.join(' ') : what).replaceAll(
    /places\[(\d+)\]/g,
    (_, index) => `row ${rows[Number(index)]}`,
  );
  const found = words.find(([pattern]) => pattern.test(text));
  return {
    row: row ?? null,
    column: isColumn ? column : '',
    text: found === undefined ? text : text.replace(...found),
  };
}
