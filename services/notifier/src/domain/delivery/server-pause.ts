/** Pauses all mails while the server accepts none; after the pause, one mail tests the server. */
import type { AttemptResult } from './attempt.ts';

export type ServerHealth = {
  /** Consecutive failures, each of a mail after the one before. */
  readonly failures: number;
  readonly pausedUntil: Date | undefined;
};

export const healthy: ServerHealth = { failures: 0, pausedUntil: undefined };

const shortestPauseMs = 1_000;
/** Sign-in links live a quarter of an hour: a recovered server must be found while they are still valid. */
const longestPauseMs = 60_000;

export function healthAfter(health: ServerHealth, attempt: AttemptResult, now: Date): ServerHealth {
  const isTrouble = attempt.outcome === 'unavailable' || (attempt.outcome === 'deferred' && attempt.slowDown);
  if (!isTrouble) return healthy;
  // Mails that were being sent when the pause began give no new information.
  if (isPaused(health, now)) return health;
  const pauseMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(health.failures, 10));
  return { failures: health.failures + 1, pausedUntil: new Date(now.getTime() + pauseMs) };
}

/** After a clock was set back, the pause is still no longer than the maximum. */
export function isPaused({ pausedUntil }: ServerHealth, now: Date): boolean {
  const leftMs = pausedUntil === undefined ? 0 : pausedUntil.getTime() - now.getTime();
  return leftMs > 0 && leftMs <= longestPauseMs;
}

/** After a pause, a single mail tests whether the others may follow. */
export function needsProbe(health: ServerHealth): boolean {
  return health.failures > 0;
}
