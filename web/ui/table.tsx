/** A table of rows of one kind. On a phone each row is a card of its own, in which every cell has the name of its column before it. */
import type { ComponentChildren } from 'preact';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row, index: number) => ComponentChildren;
  /** The name on a phone, when the title is too long there. */
  readonly short?: string;
  readonly numeric?: boolean;
  /** `name`: what the row is about. `actions`: only screen readers are told the title. */
  readonly kind?: 'name' | 'actions';
};

type TableProps<Row> = {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
  /** `false`: a column that is left out here. */
  readonly columns: readonly (Column<Row> | false)[];
  /** For screen readers. */
  readonly caption?: string;
  /** Few and narrow columns: stays a table on a phone. */
  readonly narrow?: boolean;
};

export function Table<Row>({ rows, keyOf, columns, caption, narrow = false }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <table class={narrow ? 'narrow' : 'cells'}>
      {caption !== undefined && <caption class="hidden">{caption}</caption>}
      <thead>
        <tr>
          {shown.map(({ title, kind, numeric }) => (
            <th key={title} scope="col" class={numeric ? 'numeric' : undefined}>
              {kind === 'actions' ? <span class="hidden">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)}>
            {shown.map((column) => (
              <Cell key={column.title} column={column} row={row} index={index} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type CellProps<Row> = { readonly column: Column<Row>; readonly row: Row; readonly index: number };

function Cell<Row>({ column, row, index }: CellProps<Row>) {
  const { title, short, kind, numeric, cell } = column;
  if (kind === 'name') return <th scope="row">{cell(row, index)}</th>;
  return (
    <td data-label={kind === 'actions' ? '' : (short ?? title)} class={numeric ? 'numeric' : undefined}>
      <div>{cell(row, index)}</div>
    </td>
  );
}
