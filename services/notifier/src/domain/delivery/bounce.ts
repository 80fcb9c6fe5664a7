/** Addresses at which a server said that nobody is: left alone for a while, longer each time that it is said again. */

export type Bounce = {
  readonly address: string;
  readonly refusals: number;
  readonly lastRefusedAt: Date;
  /** The server's words. */
  readonly problem: string;
};

const day = 24 * 3_600_000;
/** Not for ever: mailboxes are made after their people were invited, and servers have been known to deny all of theirs for hours. */
const restsMs = [day, 4 * day, 16 * day, 30 * day];

export function heededUntil({ refusals, lastRefusedAt }: Bounce): Date {
  const rest = restsMs[Math.min(refusals, restsMs.length) - 1] ?? day;
  return new Date(lastRefusedAt.getTime() + rest);
}

export function isHeeded(bounce: Bounce, now: Date): boolean {
  return heededUntil(bounce) > now;
}
