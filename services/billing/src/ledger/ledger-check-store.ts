/**
 * `ledger check`: computes every figure again from the entries, and compares it with the offers' own rows and with the invoices. It reads the
 * ledger in steps, so that neither its statements nor its memory grow with the ledger.
 */
import type { LedgerCheckReply } from '@offer-ads/contracts/admin/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { type LedgerCheck, ledgerChecks } from './ledger-checks.ts';

/** A step takes a tenth to a half of a second on a busy machine; the limit for a statement is two seconds. */
const ROWS_AT_ONCE = 2_500;
/** The check stops at this number: a person needs only the first problems, and the reply stays readable. */
const MAX_PROBLEMS = 1_000;

/**
 * Each step is one statement and sees one snapshot. The rows that it compares are always written in one transaction. No transaction stays
 * open between steps: a migration would have to wait for it, and every charge would wait for the migration. Rows that were read do not
 * change, and new transactions are always the last of their book, so the check may miss them but never reports them wrongly.
 * @param o.signal stops the check between two steps
 */
export async function checkLedger(
  on: Queryable,
  o: { readonly rowsAtOnce?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<LedgerCheckReply> {
  const { rowsAtOnce = ROWS_AT_ONCE } = o;
  const problems: string[] = [];
  let transactions = 0;
  for (const check of ledgerChecks) {
    let lastId = 0n;
    for (let examined = rowsAtOnce; examined === rowsAtOnce; ) {
      o.signal?.throwIfAborted();
      const [step] = await on.query<StepRow>(stepOf(check), [lastId, rowsAtOnce]);
      examined = Number(step?.examined ?? 0n);
      lastId = step?.last ?? lastId;
      if (check.table === 'transactions') transactions += examined;
      problems.push(...(step?.problems ?? []));
      if (problems.length < MAX_PROBLEMS) continue;
      const shown = [...problems.slice(0, MAX_PROBLEMS), `the check stopped at ${MAX_PROBLEMS} problems`];
      return { ok: false, transactions, problems: shown };
    }
  }
  return { ok: problems.length === 0, transactions, problems };
}

type StepRow = {
  readonly last: bigint | null;
  readonly examined: bigint;
  readonly problems: readonly string[];
};

/** The step has the $2 rows with the next ids above $1. */
export function stepOf({ table, id, problems }: LedgerCheck): string {
  return `WITH step AS MATERIALIZED (SELECT * FROM ${table} WHERE ${id} > $1 ORDER BY ${id} LIMIT $2)
          SELECT (SELECT max(${id}) FROM step) AS last, (SELECT count(*) FROM step) AS examined,
                 ARRAY (SELECT problem FROM (${problems}) found WHERE problem IS NOT NULL ORDER BY row_id) AS problems`;
}

/** The last check that ended. */
type LastLedgerCheck = { readonly checkedAt: Date; readonly problems: number };

export async function lastLedgerCheck(on: Queryable): Promise<LastLedgerCheck | undefined> {
  const [row] = await on.query<LastLedgerCheck>(
    'SELECT checked_at AS "checkedAt", problems FROM ledger_checks',
  );
  return row;
}

/** Does not overwrite the result of a check that ended later: two checks can finish out of order. */
export async function recordLedgerCheck(on: Queryable, found: LedgerCheckReply, now: Date): Promise<void> {
  await on.query(
    `INSERT INTO ledger_checks AS known (checked_at, transactions, problems) VALUES ($1, $2, $3)
     ON CONFLICT (only_row) DO UPDATE
       SET checked_at = excluded.checked_at, transactions = excluded.transactions, problems = excluded.problems
     WHERE known.checked_at <= excluded.checked_at`,
    [now, found.transactions, found.problems.length],
  );
}
