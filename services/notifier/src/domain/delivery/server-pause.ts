/** How all mails leave a server in peace that cannot take any: one pause for all of them, and then one that tries. */
import type { Attempt } from './attempt.ts';

export type ServerHealth = {
  /** In a row, of mails one after the other. */
  readonly failures: number;
  readonly pausedUntil: Date | undefined;
};

export const healthy: ServerHealth = { failures: 0, pausedUntil: undefined };

const shortestPauseMs = 1_000;
/** Sign-in links live a quarter of an hour: a server that comes back is found while they are of use. */
const longestPauseMs = 60_000;

export function healthAfter(health: ServerHealth, attempt: Attempt, now: Date): ServerHealth {
  const isTrouble = attempt.outcome === 'unavailable' || (attempt.outcome === 'deferred' && attempt.slowDown);
  if (!isTrouble) return healthy;
  // Others that were under way when the pause began tell nothing new.
  if (isPaused(health, now)) return health;
  const pauseMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(health.failures, 10));
  return { failures: health.failures + 1, pausedUntil: new Date(now.getTime() + pauseMs) };
}

/** A clock that was set back does not make a pause longer than any may be. */
export function isPaused({ pausedUntil }: ServerHealth, now: Date): boolean {
  const leftMs = pausedUntil === undefined ? 0 : pausedUntil.getTime() - now.getTime();
  return leftMs > 0 && leftMs <= longestPauseMs;
}

/** After a pause a single mail finds out whether the others may follow. */
export function needsProbe(health: ServerHealth): boolean {
  return health.failures > 0;
}
