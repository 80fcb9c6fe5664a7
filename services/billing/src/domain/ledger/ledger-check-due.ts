/** When the ledger is to be checked by itself: every night, when few pay. */

const DAY_MS = 86_400_000;
/** UTC: night from Iceland to India's morning. A check that began is over long before Europe works. */
const HOUR = 4;

/** True when none has come to its end since the latest four o'clock, or ever. */
export function isLedgerCheckDue(last: Date | undefined, now: Date): boolean {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR);
  const latest = today <= now.getTime() ? today : today - DAY_MS;
  return last === undefined || last.getTime() < latest;
}
