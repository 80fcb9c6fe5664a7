/** The last ledger check that ended, in Postgres, and up to where the ledger is proven. */
import type { LedgerCheckReply } from '@offer-ads/contracts/admin/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { LastLedgerCheck } from '../domain/ledger/ledger-check-due.ts';

export async function lastLedgerCheck(on: Queryable): Promise<LastLedgerCheck | undefined> {
  const [row] = await on.query<LastLedgerCheck>(
    `SELECT checked_at AS "checkedAt", problems, whole_at AS "wholeAt", proven_up_to AS "provenUpTo" FROM ledger_checks`,
  );
  return row;
}

export type LedgerView = {
  /** The newest transaction that was visible; 0 if there was none. */
  readonly newestId: bigint;
  /** An id of Postgres: every database transaction that had taken a smaller ledger id than `newestId` has a smaller one than this. */
  readonly databaseTransaction: string;
  /** The ledger is proven up to this transaction if a check that begins now finds no problem. Null: it is not proven at all. */
  readonly provableUpTo: bigint | null;
};

/**
 * Call it when a check begins. The newest transaction is no proven point yet: one with a smaller id may be committed later. It becomes
 * one in the first check that begins when all database transactions of that time have ended, and that check examines what they committed.
 * Each of them locks a balance before it takes an id, so its own id (`xid`) is older than the one that this statement takes.
 */
export async function viewLedger(on: Queryable): Promise<LedgerView> {
  const [view] = await on.query<LedgerView>(
    `SELECT coalesce((SELECT max(transaction_id) FROM transactions), 0) AS "newestId",
            (SELECT CASE WHEN seen_before <= pg_snapshot_xmin(pg_current_snapshot()) THEN seen_up_to ELSE proven_up_to END
               FROM ledger_checks) AS "provableUpTo",
            pg_current_xact_id()::text AS "databaseTransaction"`,
  );
  if (view === undefined) throw new Error('the database showed no ledger');
  return view;
}

/**
 * Does not overwrite the result of a check that ended later: two checks can finish out of order. A check of what is new begins only when no
 * problem is known, so a problem that is known when it ends was found meanwhile by a check of everything, perhaps where this one did not look.
 */
export async function recordLedgerCheck(
  on: Queryable,
  found: LedgerCheckReply,
  { view, isWhole, now }: { readonly view: LedgerView; readonly isWhole: boolean; readonly now: Date },
): Promise<void> {
  await on.query(
    `INSERT INTO ledger_checks AS known
       (checked_at, transactions, problems, whole_at, proven_up_to, seen_up_to, seen_before)
     VALUES ($1, $2, $3, $4, $5, $6, $7::xid8)
     ON CONFLICT (only_row) DO UPDATE
       SET checked_at = excluded.checked_at, transactions = excluded.transactions, problems = excluded.problems,
           whole_at = coalesce(excluded.whole_at, known.whole_at),
           proven_up_to = coalesce(excluded.proven_up_to, known.proven_up_to),
           seen_up_to = excluded.seen_up_to, seen_before = excluded.seen_before
     WHERE known.checked_at <= excluded.checked_at AND (known.problems = 0 OR excluded.whole_at IS NOT NULL)`,
    [
      now,
      found.transactions,
      found.problems.length,
      isWhole ? now : null,
      found.ok ? view.provableUpTo : null,
      view.newestId,
      view.databaseTransaction,
    ],
  );
}
