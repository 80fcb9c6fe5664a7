/** `ledger check`: how records are compared with the ledger, all of them or those of some transactions. */

export type RecordCheck = {
  readonly table: string;
  /** A column of `table` with ids above 0. */
  readonly id: string;
  /** A query for the ids of the records that the transactions in `step` are of. */
  readonly ofStep: string;
  /** A query with a row for each of these records: its id as `place`, and `problem`, null if it is correct. */
  readonly problemsOf: (records: string) => string;
};

/** Gives the last id of a step, null after the last one, and its problems. The step has the $2 records with the next ids above $1. */
export function checkOfAll({ table, id, problemsOf }: Omit<RecordCheck, 'ofStep'>): string {
  return problemsIn(problemsOf(`SELECT * FROM ${table} WHERE ${id} > $1 ORDER BY ${id} LIMIT $2`));
}

/** Gives the problems of the records that transactions with ids above $1, up to $2, are of. */
export function checkOfStep({ table, id, ofStep, problemsOf }: RecordCheck): string {
  return `WITH step AS MATERIALIZED (
            SELECT cause, kind, offer_id FROM transactions WHERE transaction_id > $1 AND transaction_id <= $2
          ) ${problemsIn(problemsOf(`SELECT * FROM ${table} WHERE ${id} IN (${ofStep})`))}`;
}

function problemsIn(examined: string): string {
  return `SELECT max(place) AS last, array_agg(problem ORDER BY place) FILTER (WHERE problem IS NOT NULL) AS problems
            FROM (${examined}) examined`;
}
