/** When the ledger is checked: every night. */
import { DAY_MS } from '@offer-ads/contracts/values/durations';

/** 4 o'clock UTC: night in Europe, and the check ends long before European working hours. */
const HOUR = 4;

/** True if no check has ended since the latest 4 o'clock. */
export function isLedgerCheckDue(lastCheckedAt: Date | undefined, now: Date): boolean {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR);
  const latest = today <= now.getTime() ? today : today - DAY_MS;
  return lastCheckedAt === undefined || lastCheckedAt.getTime() < latest;
}
