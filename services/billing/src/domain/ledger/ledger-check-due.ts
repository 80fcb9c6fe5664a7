/** When the scheduled ledger check runs, and when it checks everything: every night, and once a month. */

export type LastLedgerCheck = {
  readonly checkedAt: Date;
  readonly problems: number;
  /** When the last check of everything ended. Null: there was none. */
  readonly wholeAt: Date | null;
  /** Everything up to this transaction was examined, and no transaction with a smaller id can be added. Null: nothing was. */
  readonly provenUpTo: bigint | null;
};

const DAY_MS = 86_400_000;
/** 4 o'clock UTC: night in Europe, and the check ends long before European working hours. */
const HOUR = 4;

/** True if no check has ended since the latest 4 o'clock. */
export function isLedgerCheckDue(last: Pick<LastLedgerCheck, 'checkedAt'> | undefined, now: Date): boolean {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR);
  const latest = today <= now.getTime() ? today : today - DAY_MS;
  return last === undefined || last.checkedAt.getTime() < latest;
}

/**
 * The transaction after which the next scheduled check begins. Null: it examines everything. That is so in the first night of a month, and
 * until a check has found nothing: a problem of an older transaction stays reported.
 */
export function nextCheckAfter(last: LastLedgerCheck | undefined, now: Date): bigint | null {
  if (last === undefined || last.problems > 0 || last.wholeAt === null) return null;
  const firstOfMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1, HOUR);
  const isNewMonth = firstOfMonth <= now.getTime() && last.wholeAt.getTime() < firstOfMonth;
  return isNewMonth ? null : last.provenUpTo;
}
