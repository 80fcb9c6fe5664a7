/** Statements about one row, with each value beside the name of its column. Names of tables and columns come from the code, never from input. */
import type pg from 'pg';
import type { Queryable } from './postgres.ts';

type Columns = Readonly<Record<string, unknown>>;

/** @returns the columns that `returning` names */
export async function insertRow<R extends pg.QueryResultRow>(
  on: Queryable,
  table: string,
  columns: Columns,
  returning = '1',
): Promise<R> {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 1}`);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')}) RETURNING ${returning}`;
  return onlyRow(await on.query<R>(sql, Object.values(columns)));
}

/** Changes nothing if there is no such row. */
export async function updateRow(
  on: Queryable,
  table: string,
  id: number | bigint,
  columns: Columns,
): Promise<void> {
  const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  await on.query(`UPDATE ${table} SET ${changes.join(', ')} WHERE id = $1`, [id, ...Object.values(columns)]);
}

/** For statements that always give one row, such as counts. */
export function onlyRow<R>(rows: readonly R[]): R {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement gave no row');
  return row;
}
