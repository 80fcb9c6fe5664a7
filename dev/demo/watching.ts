/** Watches the balance, and effects that happen a moment later. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AdminClient } from '../demo-data/admin-client.ts';
import { NotTrue } from './checks.ts';

/** Events take milliseconds, but a busy machine may need longer. */
const timeoutMs = 20_000;
const lookEveryMs = 500;

/** Repeats `look` until it returns a value. After the time-out it throws an error that names the expectation. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > giveUpAt) throw new NotTrue(`within ${timeoutMs / 1000} s: ${what}`);
    await pause(lookEveryMs);
  }
}

export function watchBalance(admin: AdminClient, o: { organisationId: number; currency: string }) {
  const path = `/admin/balances?organisationId=${o.organisationId}&mode=TEST&currency=${o.currency}`;
  return async () => BigInt((await admin<{ balanceMinor: string }>('BILLING', 'GET', path)).balanceMinor);
}
