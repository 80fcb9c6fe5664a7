/** The last ledger check that ended, in Postgres. */
import type { LedgerCheckReply } from '@offer-ads/contracts/admin/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';

export type LastLedgerCheck = { readonly checkedAt: Date; readonly problems: number };

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
