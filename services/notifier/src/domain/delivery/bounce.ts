/** Addresses that a server reported as unknown get no mails for a while, and longer after each repeated report. */

export type Bounce = {
  readonly address: string;
  readonly refusals: number;
  readonly lastRefusedAt: Date;
  /** The server's text. */
  readonly problem: string;
};

const day = 24 * 3_600_000;
/** Not for ever: mailboxes may be created after the invitation, and servers have denied all their mailboxes for hours by mistake. */
const restsMs = [day, 4 * day, 16 * day, 30 * day];

export function heededUntil({ refusals, lastRefusedAt }: Bounce): Date {
  const rest = restsMs[Math.min(refusals, restsMs.length) - 1] ?? day;
  return new Date(lastRefusedAt.getTime() + rest);
}

export function isHeeded(bounce: Bounce, now: Date): boolean {
  return heededUntil(bounce) > now;
}
