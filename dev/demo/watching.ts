/** Watches the balance, the mailbox, and effects that happen a moment later. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AdminClient } from '../demo-data/admin-client.ts';
import { NotTrue } from './checks.ts';

/** Events take milliseconds, but a busy machine may need longer. */
const patienceMs = 20_000;
const lookEveryMs = 500;

/** Repeats `look` until it returns a value. After the time-out it throws an error that names the expectation. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > giveUpAt) throw new NotTrue(`within ${patienceMs / 1000} s: ${what}`);
    await pause(lookEveryMs);
  }
}

export function watchBalance(admin: AdminClient, o: { organisationId: number; currency: string }) {
  const path = `/admin/balances?organisationId=${o.organisationId}&mode=TEST&currency=${o.currency}`;
  return async () => BigInt((await admin<{ balanceMinor: string }>('BILLING', 'GET', path)).balanceMinor);
}

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/** Waits until `count` mails name the offer, and returns them. */
export function watchMail(mailbox: string, to: string) {
  return (title: string, count: number): Promise<Mail[]> =>
    eventually(`${count} mails to ${to} that name "${title}"`, async () => {
      const reply = await fetch(`${mailbox}/api/messages?to=${encodeURIComponent(to)}`);
      const mails = ((await reply.json()) as Mail[]).filter(({ subject, text }) =>
        `${subject} ${text}`.includes(title),
      );
      return mails.length >= count ? mails : undefined;
    });
}
